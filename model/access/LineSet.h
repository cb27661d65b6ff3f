//===- LineSet.h - sets of cache lines --------------------------*- C++ -*-===//
//
// Sets of cache lines as 64-bit words, and their distribution over a cache's sets.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <vector>

namespace ergon {

/// The lines First <= line < End, by number.
struct LineRange {
  std::int64_t First, End;
};

/// Consecutive words with equal bits: bit b of word w is line 64·w + b.
struct WordRun {
  std::int64_t First, End;
  std::uint64_t Bits;
  bool operator==(const WordRun &) const = default;
};

/// Columns and nearly full sets take a few words instead of many ranges; full words are one run.
class LineSet {
public:
  LineSet() = default;
  /// All lines of \p Ranges, in any order; they are sorted.
  explicit LineSet(std::vector<LineRange> &Ranges) { assign(Ranges); }
  /// Replaces the set by all lines of \p Ranges, which are sorted and may overlap.
  void assign(std::vector<LineRange> &Ranges);

  /// Whether no line is in it.
  bool empty() const { return Runs.empty(); }
  /// Removes all lines; keeps the memory.
  void clear() { Runs.clear(); }
  /// How many lines are in it.
  std::int64_t count() const;
  /// In ascending order; adjacent runs differ.
  const std::vector<WordRun> &runs() const { return Runs; }
  /// From the first to the last line of a set that is not empty.
  LineRange hull() const;

  /// Union, intersection and difference, in time proportional to the runs of both.
  LineSet &operator|=(const LineSet &Other);
  LineSet &operator&=(const LineSet &Other);
  LineSet &operator-=(const LineSet &Other);
  /// Removes \p Lines and returns how many were present.
  std::int64_t take(const LineSet &Lines);
  friend LineSet operator&(const LineSet &Left, const LineSet &Right);
  bool operator==(const LineSet &) const = default;

private:
  std::vector<WordRun> Runs;

  bool contains(const LineSet &Other) const;
  friend class CrowdedSets;
};

/// The cache sets with more than \p Ways of some lines; line l is in set l mod Sets.
class CrowdedSets {
public:
  /// The crowded sets of the lines of \p Set.
  CrowdedSets(const LineSet &Set, std::uint64_t Sets, std::uint64_t Ways)
      : CrowdedSets(Set, {}, Sets, Ways) {}
  /// For the lines of both sets.
  CrowdedSets(const LineSet &Set, const LineSet &Other, std::uint64_t Sets, std::uint64_t Ways);

  /// Whether no set of the cache is crowded, and whether all are.
  bool none() const { return IsNone; }
  bool all() const { return IsAll; }
  /// The lines of \p Set that are in these sets.
  LineSet linesOf(const LineSet &Set) const;

private:
  std::int64_t Sets;
  std::int64_t Period;             ///< words after which lines fall into the same sets again
  unsigned Digits;                 ///< of a number of lines
  std::vector<std::uint64_t> Load; ///< by 64 sets: each binary digit, and whether there are more
  std::vector<std::uint64_t> Bits; ///< by set, with the first 64 repeated
  bool IsNone = true, IsAll = true;

  std::int64_t setOf(std::int64_t Word) const;
  void add(std::int64_t First, std::int64_t End, std::uint64_t Lines);
  void addTimes(std::size_t Column, std::uint64_t Lines, std::uint64_t Times);
  void compare(std::uint64_t Ways);
  std::uint64_t bitsOf(std::int64_t Word) const;
};

/// True where evidently no set has more than \p Ways lines.
bool plainlyFits(const LineSet &Set, std::uint64_t Sets, std::int64_t Ways);

} // namespace ergon
