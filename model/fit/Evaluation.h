//===- Evaluation.h - a profile against measured runs -----------*- C++ -*-===//
//
// What a machine profile predicts for samples beside what was measured, and what is
// lost by running each workload at the setting that the profile would pick: the
// comparison of Choi & Vuduc 2016, section II-E and Table II.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_FIT_EVALUATION_H
#define ERGON_MODEL_FIT_EVALUATION_H

#include "model/fit/Samples.h"
#include "model/symbolic/Error.h"

#include <cstddef>
#include <expected>
#include <string>
#include <vector>

namespace ergon {

/// Of one row.
struct RowPrediction {
  double TimeS = 0, EnergyJ = 0, PowerW = 0;
};

/// What picking settings by a rule costs, over workloads with more than one setting.
struct ChoiceSummary {
  std::size_t Workloads = 0;
  std::size_t Wrong = 0; ///< workloads that another setting would have run with less energy
  /// Energy over the least measured, less 1: over all workloads, and over the wrong ones.
  double MeanLoss = 0, MeanLossOfWrong = 0, MinLossOfWrong = 0, MaxLoss = 0;
};

/// The choices for some workloads.
struct Choices {
  std::string Family; ///< what the workloads' names have before the first `/`; empty: all
  ChoiceSummary Model, Fastest, Slowest;
};

struct Evaluation {
  std::vector<RowPrediction> Rows;
  std::vector<double> TimeErrors, EnergyErrors, PowerErrors; ///< predicted/measured - 1
  std::vector<Choices> ByFamily; ///< all workloads first; then families, if there are several
  /// Classes that are counted and have no price (or, where time is predicted, no rate).
  std::vector<std::string> Unpriced, Untimed;
  /// Classes that have a price and were not counted.
  std::vector<std::string> NotCounted;
};

enum class TimeFrom { Measured, Predicted };

/// \p S has been through checkSamples(). Error, in words: the profile cannot say what a
/// row costs.
std::expected<Evaluation, Error> evaluate(const Machine &M, const Samples &S, TimeFrom From);

} // namespace ergon

#endif
