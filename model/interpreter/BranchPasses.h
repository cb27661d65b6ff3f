//===- BranchPasses.h - how often code passes its branches ------*- C++ -*-===//
//
// Interpreted code takes a limited number of steps. A branch that is passed too often is followed
// on all its ways, as if its condition were unknown: so a long loop ends, and what it changes is
// unknown behind it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/code/Value.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ergon::code {

inline constexpr std::uint64_t MaxSteps = 60'000'000;
/// The steps that a run of code takes. Beyond the most, what is not known yet remains unknown.
struct Steps {
  std::uint64_t Taken = 0, Most = 0;
};
/// A loop may take this part of the steps that are left.
inline constexpr std::uint64_t PartOfSteps = 4;

/// The branches of a call of a function.
class BranchPasses {
public:
  /// For a function of so many blocks.
  explicit BranchPasses(std::size_t NumBlocks) : Branches(NumBlocks) {}

  /// Counts that the branch at the end of \p Block is passed, after \p Run of the program;
  /// returns whether that is too often. \p Compared returns the numbers whose comparison is its
  /// condition, unknown values where it is none.
  template <typename Function> bool pass(std::size_t Block, const Steps &Run, Function &&Compared) {
    Branch &Own = Branches[Block];
    ++All;
    if (++Own.Times == First || Own.Times == Second - 1 || Own.Times == Second)
      sample(Block, Compared(), Run);
    if (Own.isWithin(Run) || (Around && Branches[*Around].isWithin(Run)) || Own.Times <= limit(Run))
      return false;
    LeavesOuter |= ++Own.TooOften > MaxPassedAfter;
    return true;
  }

  /// Whether the branch may be taken as numbers usually are, which is counted: a loop that only
  /// unusual ones end would not end.
  bool trust(std::size_t Block) { return ++Branches[Block].Trusted <= MaxTrusted; }

  /// Whether to look if the loop of \p Block alone needs not be run, which is counted: early in it,
  /// and when it is long. Loops that were looked at in vain are not again and again.
  bool trySkip(std::size_t Block) {
    Branch &Own = Branches[Block];
    const bool IsTime = Own.Times >= (Own.Tries < MaxEarlyTries ? Early : First);
    return IsTime && Own.Tries < MaxTries && ++Own.Tries != 0;
  }
  /// It was not run.
  void skipped(std::size_t Block) { Branches[Block].Tries = 0; }

private:
  static constexpr unsigned MaxTrusted = 1 << 16;
  static constexpr unsigned Early = 16, MaxEarlyTries = 2, MaxTries = 8;
  /// The passes at which the numbers that a branch compares are looked at.
  static constexpr unsigned First = 256, Second = 512;

  using Pair = std::pair<Value, Value>;
  struct Branch {
    unsigned Times = 0;
    unsigned Tries = 0;    ///< to skip it, since that was done
    unsigned Trusted = 0;  ///< how often it was taken as numbers usually are
    unsigned TooOften = 0; ///< how often it was passed beyond its limit
    unsigned Known = 0;    ///< how often it will be passed, where that is known and not too often
    std::uint64_t StepsAtFirst = 0, StepsAtEnd = 0; ///< of the program; the end is of what is known
    std::array<Pair, 2> Seen{};                     ///< at First and before Second

    /// Whether a loop of known length is on its way, as long as it takes no more than expected.
    bool isWithin(const Steps &Run) const { return Times <= Known && Run.Taken <= StepsAtEnd; }
  };
  /// Around a long loop, few iterations are as long.
  static constexpr unsigned MaxPassedAfter = 200;
  std::vector<Branch> Branches;
  unsigned All = 0;
  bool LeavesOuter = false; ///< a branch is passed too often again and again
  /// The block of the loop of known length that ends last: around others, where these are known.
  std::optional<std::size_t> Around;

  void sample(std::size_t Block, const Pair &Compared, const Steps &Run);
  unsigned limit(const Steps &Run) const;
};

} // namespace ergon::code
