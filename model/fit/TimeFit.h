//===- TimeFit.h - throughputs and overlap from measured times --*- C++ -*-===//
//
// T = (Σ (n·τ)^p)^(1/p) over classes, with n units of a class in a run and τ seconds for each,
// inversely proportional to the clock of its domain (Choi and Vuduc 2016, at eq. 6). The exponent p
// is the overlap of classes: none at 1, full at infinity, as in a roofline. For each p, T^p is
// linear in τ^p: non-negative least squares of relative errors. The exponent that predicts held-out
// families best is used; all families weigh the same.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/fit/FitErrors.h"
#include "model/fit/Samples.h"

#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// The result for one class.
struct FittedThroughput {
  std::string Class;
  /// As in Throughput: units per second, at AtMhz of Clock if there is one.
  double PerS = 0;
  std::optional<Domain> Clock;
  double AtMhz = 0;
  /// Standard deviation relative to PerS: jackknife over families. Unknown for a single workload
  /// and for free classes.
  std::optional<double> RelativeSd{};
};

struct TimeFit {
  double OverlapExponent = 1;
  std::vector<FittedThroughput> Throughputs;
  /// Relative covariances of these, in their order; empty where there is one workload.
  std::vector<std::vector<double>> RelativeCovariance;
  /// Classes that add no time beside the others. The rate is the highest one in a row, in the same
  /// terms: a lower bound.
  std::vector<FittedThroughput> Free;

  // predicted/measured - 1 of each row: of the fit itself, and of fits without the row's setting,
  // workload or family, empty where there is only one. Without its family exponent and clocks are
  // chosen by the other rows too, where families are not many.
  std::vector<double> Fitted, WithoutSetting, WithoutWorkload, WithoutFamily;
  FitErrors InSample;
  /// Classes whose units a cycle hardly differ between rows: they count time itself, so
  /// that a good fit says nothing of the time of other work.
  std::vector<std::string> CountTime;
  std::optional<FitErrors> Settings, Workloads, ByFamily;
  std::optional<LogDeviations> Deviations; ///< without the family

  /// Writes exponent and throughputs to \p M, with the source \p Source.
  void fillMachine(Machine &M, const std::string &Source) const;
};

/// Fits the times of \p S, which must have rows, classes, core clocks and values for all counts
/// (see checkSamples). `bytes_dram` follows the memory clock, where the rows have one, and
/// `flops_*` the core clock. So do other classes, unless another clock, or none, predicts held-out
/// workloads clearly better. Without \p Validates nothing is left out but for these choices.
TimeFit fitTime(const Samples &S, bool Validates = true);

} // namespace ergon
