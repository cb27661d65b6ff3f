//===- Statistics.h - quantiles and samples of numbers ----------*- C++ -*-===//
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace ergon {

/// The quantile \p Share, 0 to 1, of sorted values, with linear interpolation. \p Sorted must not
/// be empty.
template <typename Range> double sortedQuantile(const Range &Sorted, double Share) {
  const double Value = Share * double(Sorted.size() - 1);
  const std::size_t Below = std::size_t(Value), Above = std::min(Below + 1, Sorted.size() - 1);
  return Sorted[Below] + (Value - double(Below)) * (Sorted[Above] - Sorted[Below]);
}

/// The same of values in any order.
inline double quantile(std::vector<double> Values, double Share) {
  std::ranges::sort(Values);
  return sortedQuantile(Values, Share);
}

/// The mean of the two in the middle where the number of values is even. \p Values must not be
/// empty.
inline double median(std::vector<double> Values) { return quantile(std::move(Values), 0.5); }

/// The arithmetic mean. \p Values must not be empty.
inline double mean(const std::vector<double> &Values) {
  double Sum = 0;
  for (double Value : Values)
    Sum += Value;
  return Sum / double(Values.size());
}

/// The sample standard deviation; 0 of one value. \p Values must not be empty.
inline double standardDeviation(const std::vector<double> &Values) {
  const double Center = mean(Values);
  double Squares = 0;
  for (double Value : Values)
    Squares += (Value - Center) * (Value - Center);
  return Values.size() > 1 ? std::sqrt(Squares / double(Values.size() - 1)) : 0;
}

/// The interquartile range of \p Values.
inline double middleHalf(const std::vector<double> &Values) {
  return quantile(Values, 0.75) - quantile(Values, 0.25);
}

/// About \p Most of \p Count positions, in order; all where there are no more. Spread by multiples
/// of the golden ratio, so that periodic data are covered.
inline std::vector<std::size_t> spreadPositions(std::size_t Count, std::size_t Most) {
  std::vector<std::size_t> Result;
  const double Share = double(Most) / double(std::max<std::size_t>(Count, 1));
  for (std::size_t K = 0; K != Count; ++K)
    if (const double Value = double(K) * 0.6180339887498949;
        Share >= 1 || Value - std::floor(Value) < Share)
      Result.push_back(K);
  return Result;
}

} // namespace ergon
