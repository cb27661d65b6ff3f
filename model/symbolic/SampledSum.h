//===- SampledSum.h - sums of what has no formula ---------------*- C++ -*-===//
#pragma once

#include "model/symbolic/Rational.h"

#include <utility>
#include <vector>

namespace ergon {

/// Iterations to look at, and how many each stands for.
struct SampledIterations {
  std::vector<std::pair<Rational, Rational>> Points;
  /// Each iteration is there: the sum is no estimate.
  bool IsWhole = false;
};

/// The most iterations that are all looked at.
inline constexpr int MaxWholeIterations = 12;

/// Iterations 0 … \p Trips - 1 for a sum over all of them. Of many, seven whose weighted sum is
/// exact for what is a polynomial in the iteration up to the sixth degree (closed Newton-Cotes
/// rule for sums over integers). \p Trips may be a fraction; none for 0 and less.
SampledIterations sampleIterations(const Rational &Trips);

} // namespace ergon
