//===- EnergyFit.h - what energy costs, from measured runs ------*- C++ -*-===//
//
// Fits the energy half of a machine profile to samples: prices per operation and
// constant power by non-negative least squares of relative errors (Choi & Vuduc 2016,
// section II-C), the core's V(f) law, and the laws of PowerLaw.h; and says how well it
// predicts samples that it was not given. docs/decisions/0011-fits.md has the choices.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_FIT_ENERGYFIT_H
#define ERGON_MODEL_FIT_ENERGYFIT_H

#include "model/fit/Samples.h"

#include <cstddef>
#include <expected>
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
  std::function<void(std::size_t Done, std::size_t Of, const char *Name)> Progress{};
};

/// Relative errors of predictions, predicted/measured - 1, one for each row.
struct RowErrors {
  std::vector<double> Full;    ///< by everything that was fitted
  std::vector<double> Formula; ///< without the correction
};

struct EnergyFit {
  /// Settings, energies, constant power and laws; sources are left to name. Its errors are
  /// those of workloads that were left out, its covariance that of the jackknife that
  /// leaves workloads out (Efron & Stein 1981).
  Machine Fitted;
  std::vector<bool> IsFitted; ///< of each row: neither held out nor slowed by the power cap
  RowErrors InSample, BySetting, ByWorkload; ///< the last two by models not given the row
  /// Classes that got no price, since runs that do more of them take no more energy.
  std::vector<std::string> Free;
};

/// \p Of has been through checkSamples(). Errors, in words: fewer rows than coefficients,
/// nothing to fit.
std::expected<EnergyFit, std::string> fitEnergy(const Samples &Of, const EnergyFitOptions &Options);

} // namespace ergon

#endif
