//===- Evaluation.h - compares a profile with measured runs -----*- C++ -*-===//
//
// Predictions of a machine profile next to measurements of samples, and the loss when each workload
// runs at the setting that the profile would choose: the comparison of Choi & Vuduc 2016, section
// II-E and Table II.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/energy/MeasuredModel.h"
#include "model/fit/EnergyFitOptions.h"
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
  /// Relative standard deviations as stated, toward less and toward more.
  using Error = MeasuredModel::Sides;
  /// Nothing where none is stated; of time, where it is not predicted.
  std::optional<Error> TimeError{}, EnergyError{};
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
  /// Of the rows that are not among the measured runs: the share that lies in the stated 95 %
  /// interval, and the intervals' median ratio of high to low. Times where they are predicted.
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

/// Compares \p Result's rows with \p S: errors, how often intervals hold at settings that are not
/// among \p MeasuredAt, choices.
void compare(const Samples &S, const std::vector<Setting> &MeasuredAt, Evaluation &Result);

/// The setting at which the workloads of \p S lose least in the mean, of those at which most of
/// them ran; nothing where no workload ran at two.
std::optional<Setting> bestFixedSetting(const Samples &S);

enum class TimeFrom { Measured, Predicted };

/// \p S must have passed checkSamples(). Where time is predicted, each workload's runs at the
/// settings \p MeasuredAt are known (MeasuredModel.h). Error, in words: the profile cannot price a
/// row; a workload has no run at such a setting.
std::expected<Evaluation, Error> evaluate(const Machine &M, const Samples &S, TimeFrom From,
                                          const std::vector<Setting> &MeasuredAt = {});

/// The same by profiles that were fitted to \p S without the family of a row, one for each family,
/// with \p Options: errors and choices for programs that a fit did not see. Errors: as of
/// fitEnergy(), and where there is one family.
std::expected<Evaluation, Error> evaluateLeftOut(const Samples &S, const EnergyFitOptions &Options,
                                                 TimeFrom From,
                                                 const std::vector<Setting> &MeasuredAt = {});

/// What rules for choosing lose by it, with predicted times. Nothing where it cannot be said, or
/// would take longer than some seconds. The caller names the source.
std::optional<ChoiceLosses> choiceLosses(const Samples &S, const EnergyFitOptions &Options);

} // namespace ergon
