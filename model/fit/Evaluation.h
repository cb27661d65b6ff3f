//===- Evaluation.h - compares a profile with measured runs -----*- C++ -*-===//
//
// Predictions of a machine profile next to measurements of samples, and the loss when each workload
// runs at the setting that the profile would choose: the comparison of Choi & Vuduc 2016, section
// II-E and Table II.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/fit/Samples.h"
#include "model/symbolic/Error.h"

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// Of one row.
struct RowPrediction {
  double TimeS = 0, EnergyJ = 0, PowerW = 0;
  /// The energy that the setting is chosen by: where time is predicted, with what programs need in
  /// the mean.
  double LikelyJ = 0;
};

/// The loss of a rule for choosing settings, over workloads with more than one setting.
struct ChoiceSummary {
  std::size_t Workloads = 0;
  std::size_t Wrong = 0; ///< workloads that need less energy at another setting
  /// Energy relative to the lowest measured one, minus 1: over all workloads, and over the wrong
  /// ones.
  double MeanLoss = 0, MeanLossOfWrong = 0, MinLossOfWrong = 0, MaxLoss = 0;
};

/// The choices for some workloads.
struct Choices {
  std::string Family; ///< the workloads' prefix up to the first `/`; empty: all
  ChoiceSummary Model, Fastest, Slowest;
  /// The setting that loses least, in the mean, for the workloads of the other families; each
  /// workload is its own where there is one family.
  ChoiceSummary Fixed;
};

struct Evaluation {
  std::vector<RowPrediction> Rows;
  std::vector<double> TimeErrors, EnergyErrors, PowerErrors; ///< predicted/measured - 1
  /// With measured runs: of the rows that are none of these, the share whose time and whose energy
  /// lie in the 95 % interval, and the intervals' median ratio of high to low.
  struct Coverage {
    std::size_t Rows = 0;
    double TimeShare = 0, EnergyShare = 0, TimeWidth = 1, EnergyWidth = 1;
  };
  std::optional<Coverage> Intervals;
  std::vector<Choices> ByFamily; ///< all workloads first; then families, if there are several
  /// Classes with counts and without a cost (or, where time is predicted, a rate).
  std::vector<std::string> Unpriced, Untimed;
  /// Classes with a cost and without counts.
  std::vector<std::string> NotCounted;
};

enum class TimeFrom { Measured, Predicted };

/// \p S must have passed checkSamples(). Where time is predicted, each workload's runs at the
/// settings \p MeasuredAt are known (MeasuredModel.h). Error, in words: the profile cannot price a
/// row; a workload has no run at such a setting.
std::expected<Evaluation, Error> evaluate(const Machine &M, const Samples &S, TimeFrom From,
                                          const std::vector<Setting> &MeasuredAt = {});

} // namespace ergon
