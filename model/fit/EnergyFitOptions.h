//===- EnergyFitOptions.h - options of an energy fit ------------*- C++ -*-===//
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

struct EnergyFitOptions {
  /// The power cap in watts: runs at it were slower than their clock, so they are no samples of
  /// their setting.
  std::optional<double> PowerCapW;
  /// Folds of each cross-validation; 0: one setting, or one workload, at a time.
  std::size_t Folds = 0;
  /// Classes that always occur together: one cost for each group.
  std::vector<std::vector<std::string>> Together;
  /// Rows that are not fitted, by position; empty: none.
  std::vector<bool> HeldOut;
  /// Pulls costs toward published ratios, for samples that hardly distinguish classes.
  bool Published = true;
  /// Costs and constant power only, neither saturation nor a correction: for samples designed to
  /// separate costs.
  bool PricesAlone = false;
  /// Without it nothing is left out: no errors, no covariances.
  bool Validates = true;
  /// Calls a function for each number below the given one, in any order or at once; empty: one
  /// after the other.
  std::function<void(std::size_t, const std::function<void(std::size_t)> &)> ForEach{};
  /// Progress: folds done, their number, and what they leave out. Called by whom ForEach calls.
  std::function<void(std::size_t Done, std::size_t Index, const char *Name)> Progress{};
};

} // namespace ergon
