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

#include "model/fit/EnergyFitOptions.h"
#include "model/fit/Samples.h"
#include "model/symbolic/Error.h"

#include <expected>
#include <string>
#include <vector>

namespace ergon {

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

/// \p S has been through checkSamples(). Errors, in words: fewer rows than coefficients,
/// nothing to fit.
std::expected<EnergyFit, Error> fitEnergy(const Samples &S, const EnergyFitOptions &Options);

} // namespace ergon

#endif
