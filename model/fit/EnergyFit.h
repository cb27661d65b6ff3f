//===- EnergyFit.h - energy costs from measured runs ------------*- C++ -*-===//
//
// Fits the energy part of a machine profile to samples: costs per operation and constant power by
// non-negative least squares of relative errors (Choi & Vuduc 2016, section II-C), the core's V(f)
// law, and the laws of PowerLaw.h. Also reports the prediction error on held-out samples.
// docs/decisions/0011-fits.md has the choices.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/fit/EnergyFitOptions.h"
#include "model/fit/Samples.h"
#include "model/symbolic/Error.h"

#include <expected>
#include <string>
#include <vector>

namespace ergon {

/// Relative errors of predictions, predicted/measured - 1, one for each row.
struct RowErrors {
  std::vector<double> Full;    ///< with everything that was fitted
  std::vector<double> Formula; ///< without the correction
};

struct EnergyFit {
  /// Settings, energies, constant power and laws; the caller names the sources. Its errors are
  /// those of held-out families, its covariance that of the jackknife over families (Efron & Stein
  /// 1981).
  Machine Fitted;
  std::vector<bool> IsFitted; ///< of each row: neither held out nor slowed by the power cap
  /// All but the first by models fitted without the row, and whatever they choose chosen without
  /// it; ByWorkload and ByFamily are the same where each workload is a family.
  RowErrors InSample, BySetting, ByWorkload, ByFamily;
  /// Classes without a cost, as runs that do more of them take no more energy.
  std::vector<std::string> Free;
};

/// \p S must have passed checkSamples(). Errors, in words: fewer rows than coefficients, nothing to
/// fit.
std::expected<EnergyFit, Error> fitEnergy(const Samples &S, const EnergyFitOptions &Options);

} // namespace ergon
