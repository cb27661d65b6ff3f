//===- FitErrors.h - prediction errors --------------------------*- C++ -*-===//
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace ergon {

/// Statistics of |predicted/measured - 1| over some rows; all 0 without rows.
struct FitErrors {
  std::size_t Count = 0;
  double Mean = 0, Median = 0, Percentile90 = 0, Sd = 0, Least = 0, Most = 0;
  /// Root mean square of predicted/measured - 1, and after subtracting the mean of each workload:
  /// the error in comparing settings.
  double Rms = 0, ChoiceRms = 0;
};

/// For \p Errors, predicted/measured - 1 of each row, with workload numbers \p Workloads. A row
/// with NaN was not predicted.
FitErrors errorsOf(std::span<const double> Errors, std::span<const std::size_t> Workloads);

/// Standard deviations of ln(predicted/measured).
struct LogDeviations {
  /// Of the workloads of a further family: 95 % are meant to lie within 1.96 of it.
  double Whole = 0;
  /// The same to the sides of predictions that are too low and too high: of the shortest range that
  /// 95 % are in.
  double TooLow = 0, TooHigh = 0;
  /// The same after subtracting each workload's mean: of the change between settings.
  double OfRatio = 0;
};

/// For \p Errors, predicted/measured - 1 of each row by a fit without its family, or NaN; all
/// families weigh the same. Nothing for fewer than two families.
std::optional<LogDeviations> logDeviations(std::span<const double> Errors,
                                           std::span<const std::size_t> Workloads,
                                           std::span<const std::size_t> Families);

/// A deviation and its weight.
struct Weighed {
  double Away, Weight;
};

/// The standard deviation within 1.96 of which 95 % of \p Rows, at least one, lie.
double deviation95(std::vector<Weighed> Rows);

/// What errors of a normal distribution are widened by where their size is known from \p Families
/// families and their mean: Student's t of 95 % over 1.96.
double student(std::size_t Families);

/// As for a single workload.
FitErrors errorsOf(std::span<const double> Errors);

/// For objects with an error().
template <typename Case>
  requires requires(const Case &C) { C.error(); }
FitErrors errorsOf(const std::vector<Case> &Cases) {
  std::vector<double> Errors;
  for (const Case &C : Cases)
    Errors.push_back(C.error());
  return errorsOf(Errors);
}

} // namespace ergon
