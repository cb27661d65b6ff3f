//===- TimeFit.h - throughputs and overlap from measured times --*- C++ -*-===//
//
// T = (Σ (n·τ)^p)^(1/p) over classes, with n units of a class in a run and τ seconds for
// each of them, inversely proportional to the clock of its domain (Choi and Vuduc 2016, at
// eq. 6). The exponent p says how much the classes overlap: not at all at 1, as in a
// roofline at infinity. For each p, T^p is linear in τ^p: least squares of relative
// errors without negative parts. Of the exponents the one is taken that predicts
// best the workloads that it was not given.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_FIT_TIMEFIT_H
#define ERGON_MODEL_FIT_TIMEFIT_H

#include "model/fit/FitErrors.h"
#include "model/fit/Samples.h"

#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// What was found of one class.
struct FittedThroughput {
  std::string Class;
  /// As in Throughput: units per second, at AtMhz of Clock where there is one.
  double PerS = 0;
  std::optional<Domain> Clock;
  double AtMhz = 0;
  /// Standard deviation relative to PerS: jackknife over workloads. Of a single one, and of
  /// classes that are free, it is not known.
  std::optional<double> RelativeSd{};
};

struct TimeFit {
  double OverlapExponent = 1;
  std::vector<FittedThroughput> Throughputs;
  /// Relative covariances of these, in their order; empty where there is one workload.
  std::vector<std::vector<double>> RelativeCovariance;
  /// Classes that explain no time beside the others. The rate is the highest that a row
  /// shows, in the same terms: the class can do no less.
  std::vector<FittedThroughput> Free;

  // predicted/measured - 1 of each row: of the fit itself, and of fits without the row's
  // setting and without its workload, with the same exponent and clocks. Those are empty
  // where there is only one.
  std::vector<double> Fitted, WithoutSetting, WithoutWorkload;
  FitErrors InSample;
  /// Classes whose units a cycle hardly differ between rows: they count time itself, so
  /// that a good fit says nothing of the time of other work.
  std::vector<std::string> CountTime;
  std::optional<FitErrors> Settings, Workloads;

  /// Puts exponent and throughputs into \p M, with a source of its.
  void describe(Machine &M, const std::string &Source) const;
};

/// Fits the times of \p S, which must have rows, classes, core clocks and values for all
/// counts (see checkSamples). `bytes_dram` follows the clock of the memory, where the rows
/// have one, and `flops_*` that of the core. So do other classes, unless another clock, or
/// none, predicts workloads that the fit was not given clearly better.
TimeFit fitTime(const Samples &S);

} // namespace ergon

#endif
