//===- CacheSimulator.h - simulates caches ----------------------*- C++ -*-===//
//
// A hierarchy of set-associative caches with LRU replacement. Counts as valgrind's callgrind with a
// write-through first level: an access with a missing line goes to the next level as a whole, and
// is one miss however many of its lines miss.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/traffic/Traffic.h"

#include <span>

namespace ergon {

class CacheSimulator {
public:
  /// One access as the core issues it.
  struct Reference {
    unsigned Access; ///< the number that its traffic is counted for
    std::uint64_t Address;
    unsigned Bytes;
  };
  /// The traffic of all accesses: by access, then by level.
  using Counts = std::vector<LevelTraffic>;

  /// \p Through must be valid and hold at most `MaxLines` lines; accesses have numbers below \p
  /// Accesses and addresses below `addressLimit`.
  CacheSimulator(const CacheHierarchy &Through, unsigned Accesses, const HiddenMemory &Beside = {});
  static constexpr std::uint64_t MaxLines = std::uint64_t(1) << 26;
  /// Addresses from there on, in bytes, do not fit an entry's bits.
  std::uint64_t addressLimit() const;

  /// One access: goes through the levels until one has its lines.
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
  /// A non-temporal store: bypasses the caches, which drop its lines.
  void bypass(const Reference &R);
  /// Counts a load or store that just hit \p Times more.
  void repeat(const Reference &R, bool IsStore, std::uint64_t Times);

  /// Misses at all levels so far: unchanged where all accesses hit.
  std::uint64_t misses() const { return Misses; }
  std::size_t levels() const { return NumLevels; }
  unsigned lineBytes() const { return 1U << LineShift; }

  /// Counts since the beginning, by access, then level; the caller may reset them.
  Counts &counts() { return Traffic; }
  LevelTraffic &countsOf(unsigned Access, std::size_t Level) {
    return Traffic[Access * NumLevels + Level];
  }

  /// How many more lines would move beyond a level if lines that no access names (stack, code) lay
  /// in the sets where they do the most harm. A bound where a set has one such line, not counting
  /// misses of the level before.
  double hiddenHarm(std::size_t Level) const;
  /// Number of lines of memory at any alignment.
  unsigned linesOf(std::uint64_t Bytes) const {
    return Bytes == 0 ? 0 : unsigned((Bytes + 2 * lineBytes() - 2) >> LineShift);
  }

  /// The contents of the caches.
  using State = std::vector<std::vector<std::uint64_t>>;
  /// The contents in LRU order, to be restored later.
  State state() const;
  void restore(const State &Held);
  /// How many lines all levels hold at most.
  std::uint64_t lines() const;

private:
  /// An entry is a line number, and in its low bits the number, from 1, of the access that stored
  /// to it last; 0 while it is clean. A set's entries are in LRU order.
  struct Level {
    std::vector<std::uint64_t> Entries;
    std::uint64_t Sets;
    unsigned Ways;
    bool WriteThrough, WriteAllocate;
    bool SetsArePower;
    /// Lines of the stack and of code in use, which no access names.
    unsigned Stack, Code;
    /// Lines beyond this many ways would be evicted if these were spread over all sets.
    unsigned Safe;
    std::vector<std::uint64_t> Marginal; ///< by set

    std::uint64_t setNumber(std::uint64_t Line) const {
      return SetsArePower ? Line & (Sets - 1) : Line % Sets;
    }
    std::span<std::uint64_t> setOf(std::uint64_t Line) {
      return {Entries.data() + setNumber(Line) * Ways, Ways};
    }
  };
  /// The lines of an access. An empty entry is 0, so line numbers start at 1.
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
  /// The most recent entry of the first-level set, if it is the requested line: the common case,
  /// which moves nothing.
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
