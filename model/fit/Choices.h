//===- Choices.h - what rules for choosing a setting lose -------*- C++ -*-===//
//
// Each workload runs at the setting that a rule chooses: how much more energy does it take than at
// the best one? The comparison of Choi & Vuduc 2016, section II-E and Table II.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/fit/Samples.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ergon {

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

/// By the energies \p Joules of the rows of \p S. All workloads first; then families, if there are
/// several. Empty where no workload ran at two settings.
std::vector<Choices> choicesBy(const Samples &S, std::span<const double> Joules);

/// What choosing by \p Joules loses for each family of \p S in the mean, by the families' numbers;
/// 0 where none of its workloads ran at two settings.
std::vector<double> lossesByFamily(const Samples &S, std::span<const double> Joules);

/// The setting at which the workloads of \p S lose least in the mean, of those at which most of
/// them ran; nothing where no workload ran at two.
std::optional<Setting> bestFixedSetting(const Samples &S);

} // namespace ergon
