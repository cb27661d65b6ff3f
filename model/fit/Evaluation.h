//===- Evaluation.h - compares a profile with measured runs -----*- C++ -*-===//
//
// Predictions of a machine profile next to measurements of samples, and the loss when each workload
// runs at the setting that the profile would choose.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/energy/MeasuredModel.h"
#include "model/fit/Choices.h"
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
  /// the mean (ChoiceLosses).
  double LikelyJ = 0;
  /// Relative standard deviations as stated, toward less and toward more.
  using Error = MeasuredModel::Sides;
  /// Nothing where none is stated; of time, where it is not predicted.
  std::optional<Error> TimeError{}, EnergyError{};
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

/// What rules for choosing lose by it, of the rows \p IsUsed, with predicted times and no, one or
/// two runs known. Nothing where it cannot be said: fewer than two families, no setting at which
/// most workloads ran. Of large tables by some of the settings. The caller names the source.
std::optional<ChoiceLosses> choiceLosses(const Samples &S, const std::vector<bool> &IsUsed,
                                         const TypicalEnergy &Typical,
                                         const EnergyFitOptions &Options);

} // namespace ergon
