//===- CacheSimulator.h - caches that accesses run through ------*- C++ -*-===//
//
// A hierarchy of set-associative caches with LRU replacement, fed one access after
// the other. What is counted is what valgrind's callgrind counts with a first level
// that writes through: an access goes on to the next level as a whole where a line of
// it misses, and is one miss however many of its lines do.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_TRAFFIC_CACHESIMULATOR_H
#define ERGON_MODEL_TRAFFIC_CACHESIMULATOR_H

#include "model/traffic/Traffic.h"

#include <span>

namespace ergon {

class CacheSimulator {
public:
  /// One access as the core asks for it.
  struct Reference {
    unsigned Access; ///< its number: whose traffic it is
    std::uint64_t Address;
    unsigned Bytes;
  };
  /// The traffic of all accesses: by access, then by level.
  using Counts = std::vector<LevelTraffic>;

  /// Through caches that make sense and hold at most `MaxLines` lines, by so many accesses
  /// to addresses below `addressLimit`.
  CacheSimulator(const CacheHierarchy &Through, unsigned Accesses, const HiddenMemory &Beside = {});
  static constexpr std::uint64_t MaxLines = std::uint64_t(1) << 26;
  /// Addresses from there on, in bytes, do not fit an entry's bits.
  std::uint64_t addressLimit() const;

  /// One access: through the levels until one has its lines; counted for the access's number.
  void load(const Reference &R) {
    if (lastUsed(R))
      countsOf(R.Access, 0).Loads += 1;
    else
      reach(0, spanOf(R), false, false);
  }
  void store(const Reference &R) {
    std::uint64_t *Last = Levels[0].WriteThrough ? nullptr : lastUsed(R);
    if (!Last)
      return reach(0, spanOf(R), true, true);
    countsOf(R.Access, 0).Stores += 1;
    *Last = spanOf(R).First << OwnerBits | (R.Access + 1);
  }
  /// A store that goes around the caches; what they have of its lines leaves them.
  void bypass(const Reference &R);
  /// As if a load or store that just hit wherever it got to were done so often again.
  void repeat(const Reference &R, bool IsStore, std::uint64_t Times);

  /// How many lines were not where they were looked for: unchanged where all accesses hit.
  std::uint64_t misses() const { return Misses; }
  std::size_t levels() const { return NumLevels; }
  unsigned lineBytes() const { return 1U << LineShift; }

  /// What was counted since the beginning, by access, then level; the caller may reset it.
  Counts &counts() { return Traffic; }
  LevelTraffic &countsOf(unsigned Access, std::size_t Level) {
    return Traffic[Access * NumLevels + Level];
  }

  /// How many lines more would move beyond a level if hidden memory lay in those of its sets in
  /// which it does the most harm. A bound where one line of it is in a set, beside what follows
  /// from the misses of the level before.
  double hiddenHarm(std::size_t Level) const;
  /// Lines of memory that lies anywhere in them.
  unsigned linesOf(std::uint64_t Bytes) const {
    return Bytes == 0 ? 0 : unsigned((Bytes + 2 * lineBytes() - 2) >> LineShift);
  }

  /// What the caches hold.
  using State = std::vector<std::vector<std::uint64_t>>;
  /// The contents with their order of use, to be put back later.
  State state() const;
  void restore(const State &Held);
  /// How many lines all levels hold at most.
  std::uint64_t lines() const;

private:
  /// An entry is a line's number, and below it the number of the access that stored to it
  /// last, from 1; 0 while it is clean. A set's entries are in the order of their last use.
  struct Level {
    std::vector<std::uint64_t> Entries;
    std::uint64_t Sets;
    unsigned Ways;
    bool WriteThrough, WriteAllocate;
    bool SetsArePower;
    /// Lines of the stack and of code that are in use and that no access tells of.
    unsigned Stack, Code;
    /// Behind so many ways a line would have left if they were spread over all sets.
    unsigned Safe;
    std::vector<std::uint64_t> Marginal; ///< by set

    std::uint64_t setNumber(std::uint64_t Line) const {
      return SetsArePower ? Line & (Sets - 1) : Line % Sets;
    }
    std::span<std::uint64_t> setOf(std::uint64_t Line) {
      return {Entries.data() + setNumber(Line) * Ways, Ways};
    }
  };
  /// The lines of an access. An empty entry is 0, so the first line has number 1.
  struct Span {
    unsigned Access;
    std::uint64_t First, Last;
    unsigned Bytes;
  };

  std::vector<Level> Levels;
  std::size_t NumLevels;
  unsigned LineShift, OwnerBits;
  Counts Traffic;
  std::uint64_t Misses = 0;

  Span spanOf(const Reference &R) const {
    return {R.Access, (R.Address >> LineShift) + 1, ((R.Address + R.Bytes - 1) >> LineShift) + 1,
            R.Bytes};
  }
  /// The entry of the first level's most recent line of a set, where that is what is asked for:
  /// so it mostly is, and nothing moves.
  std::uint64_t *lastUsed(const Reference &R) {
    const Span Lines = spanOf(R);
    std::uint64_t &Front = Levels[0].setOf(Lines.First)[0];
    return Lines.First == Lines.Last && Front >> OwnerBits == Lines.First ? &Front : nullptr;
  }
  bool use(Level &L, std::uint64_t Line, LevelTraffic &Count, std::uint64_t &Evicted) const;
  bool contains(Level &L, std::uint64_t Line) const;
  void reach(std::size_t Position, const Span &S, bool IsStore, bool Writes);
  void writeBack(std::size_t From, std::uint64_t Entry);
};

} // namespace ergon

#endif
