//===- RunValues.h - values that the counts of a run imply ------*- C++ -*-===//

#pragma once

#include "model/program/Function.h"

namespace ergon {

/// What follows for the addresses of a function from what a run counted of its loops and blocks.
/// The numbers are means of all calls, rounded. Its counts need none of them: as it ran, a function
/// has numbers in the place of formulas.
struct RunValues {
  /// Empty where no run counted \p F.
  explicit RunValues(const Function &F);

  /// Of symbols, beside measured unknowns: a loop over `i < n` that ran 100 times has an `n` of
  /// 100.
  Substitution Symbols;
  /// Of the lengths of copies and fills, by their formulas' text.
  std::map<std::string, Rational> Lengths;
};

} // namespace ergon
