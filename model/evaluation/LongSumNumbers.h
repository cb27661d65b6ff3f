//===- LongSumNumbers.h - numbers of formulas, with bounded work -*- C++ -*-===//
#pragma once

#include "model/symbolic/Expr.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

namespace ergon {

/// The numbers of a program's formulas in which all symbols have values. Where a program has many
/// sums that are too long, later ones are tried for a shorter time before they are sampled, so that
/// all that is in vain has a limit. It depends on the program alone, not on the machine.
class LongSumNumbers {
public:
  struct Found {
    std::optional<Rational> Value;
    bool IsSampled = false; ///< from some of the terms
    std::string Lacks{};    ///< what there is no value for
  };
  /// The number of what \p Over, the sums that \p Sums names, makes of \p Summand. It is found once
  /// for all summands that differ by a factor: what blocks of one loop run, and what several runs
  /// of a program have in common.
  Found of(const std::string &Sums, const Expr &Summand,
           const std::function<Expr(const Expr &)> &Over, const SymbolValues &Values);

private:
  struct Less {
    bool operator()(const Expr &Left, const Expr &Right) const {
      return Expr::compare(Left, Right) < 0;
    }
  };
  std::unordered_map<std::string, std::map<Expr, Found, Less>> Known;
  std::size_t NumKept = 0;
  static constexpr std::size_t MaxKept = 20'000;

  /// Steps for sums that turn out to be too long: each gets a part of what is left.
  std::uint64_t InVain = 2'500'000;
  static constexpr std::uint64_t PartOfLeft = 5, MinSteps = 2'500;

  Found evaluate(const Expr &Formula, const SymbolValues &Values);
};

} // namespace ergon
