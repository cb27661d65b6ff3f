//===- FitErrors.h - how far predictions are from measurements --*- C++ -*-===//
#ifndef ERGON_MODEL_FIT_FITERRORS_H
#define ERGON_MODEL_FIT_FITERRORS_H

#include <cstddef>
#include <span>
#include <vector>

namespace ergon {

/// Of |predicted/measured - 1| over some rows; all 0 where there is no row.
struct FitErrors {
  std::size_t Count = 0;
  double Mean = 0, Median = 0, Percentile90 = 0, Sd = 0, Least = 0, Most = 0;
  /// Root mean square of predicted/measured - 1, and of what is left of it when the mean of
  /// each workload is taken off: what errs in comparing settings.
  double Rms = 0, ChoiceRms = 0;
};

/// Of \p Errors, predicted/measured - 1 of each row, whose workloads have the numbers
/// \p Workloads. A row whose error is not a number was not predicted.
FitErrors errorsOf(std::span<const double> Errors, std::span<const std::size_t> Workloads);

/// As if all were of one workload.
FitErrors errorsOf(std::span<const double> Errors);

/// Of what says its error() itself.
template <typename Case>
  requires requires(const Case &C) { C.error(); }
FitErrors errorsOf(const std::vector<Case> &Cases) {
  std::vector<double> Errors;
  for (const Case &C : Cases)
    Errors.push_back(C.error());
  return errorsOf(Errors);
}

} // namespace ergon

#endif
