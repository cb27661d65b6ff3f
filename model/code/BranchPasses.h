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
#include <utility>
#include <vector>

namespace ergon::code {

/// Beyond these a program's values remain unknown.
inline constexpr std::uint64_t MaxSteps = 10'000'000;

/// The branches of a call of a function.
class BranchPasses {
public:
  /// For a function of so many blocks.
  explicit BranchPasses(std::size_t NumBlocks) : Branches(NumBlocks) {}

  /// Counts that the branch at the end of \p Block is passed, after so many steps of the program;
  /// returns whether that is too often. \p Compared returns the numbers whose comparison is its
  /// condition, unknown values where it is none.
  template <typename Function>
  bool pass(std::size_t Block, std::uint64_t Steps, Function &&Compared) {
    Branch &Own = Branches[Block];
    ++All;
    if (++Own.Times == First || Own.Times == Second - 1 || Own.Times == Second)
      sample(Own, Compared(), Steps);
    return Own.Times > std::max(Own.Known, limit(Steps));
  }

private:
  /// The passes at which the numbers that a branch compares are looked at.
  static constexpr unsigned First = 256, Second = 512;

  using Pair = std::pair<Value, Value>;
  struct Branch {
    unsigned Times = 0;
    unsigned Known = 0; ///< how often it will be passed, where that is known and not too often
    std::uint64_t StepsAtFirst = 0;
    std::array<Pair, 2> Seen{}; ///< at First and before Second
  };
  std::vector<Branch> Branches;
  unsigned All = 0;

  static void sample(Branch &Own, const Pair &Compared, std::uint64_t Steps);
  unsigned limit(std::uint64_t Steps) const;
};

} // namespace ergon::code
