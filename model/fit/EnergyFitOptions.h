//===- EnergyFitOptions.h - what a fit of energies is asked -----*- C++ -*-===//
#ifndef ERGON_MODEL_FIT_ENERGYFITOPTIONS_H
#define ERGON_MODEL_FIT_ENERGYFITOPTIONS_H

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

struct EnergyFitOptions {
  /// Watts that the machine kept to: runs at it were slower than their clock, so that
  /// they are no samples of their setting.
  std::optional<double> PowerCapW;
  /// Folds of each cross-validation; 0 leaves one setting, or one workload, out at a time.
  std::size_t Folds = 0;
  /// Classes that always come together: a price for each group.
  std::vector<std::vector<std::string>> Together;
  /// Rows that are not fitted, by position; empty: none.
  std::vector<bool> HeldOut;
  /// Prices are held near published ratios: for samples that tell classes apart badly.
  bool Published = true;
  /// Prices and constant power alone, neither saturation nor a correction: for samples that were
  /// made to tell prices apart.
  bool PricesAlone = false;
  /// Told of the folds that are done, of how many, and what they leave out.
  std::function<void(std::size_t Done, std::size_t Index, const char *Name)> Progress{};
};

} // namespace ergon

#endif
