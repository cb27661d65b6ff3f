//===- ApproximateValue.h - long sums from some of their terms --*- C++ -*-===//
#pragma once

#include "model/symbolic/Expr.h"

#include <optional>

namespace ergon {

/// An estimate of a formula's value.
struct ApproximateValue {
  double Value;
  double Error; ///< twice the standard error of the mean of independent samples
};

/// The value of \p Formula, where terms of sums are too many to add up: of each sum the first and
/// the last term, and one at random in each of equal parts of the others (stratified sampling;
/// Cochran, Sampling Techniques, chapter 5), in several independent samples. The numbers are the
/// same in each run. In double precision. Nothing where a symbol has no value, a divisor is 0, or
/// the formula is too large even for that.
std::optional<ApproximateValue> approximateValue(const Expr &Formula, const SymbolValues &Values);

} // namespace ergon
