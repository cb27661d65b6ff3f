//===- MachineFit.h - how good the fit of a profile is ----------*- C++ -*-===//
//
// Errors of a fit, how its coefficients err together, and the correction between the formula and
// the runs that it was fitted to.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_MACHINE_MACHINEFIT_H
#define ERGON_MODEL_MACHINE_MACHINEFIT_H

#include "model/machine/PowerLaw.h"
#include "model/machine/Quantity.h"

#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// How coefficients err together. Their names are those of Machine::coefficients().
struct Covariance {
  std::vector<std::string> Coefficients;
  /// Covariances of relative errors, a row for each of Coefficients: symmetric.
  std::vector<std::vector<double>> Relative;
  std::string Source;
};

/// How far a fit is from samples that it was not given: standard deviations of
/// predicted/measured - 1. Energy is predicted from measured time.
struct FitQuality {
  std::optional<Quantity> EnergyError, TimeError;
  /// The part of these that differs between the settings of one workload: what is
  /// left when each workload's mean is taken off. It alone can change a choice.
  std::optional<Quantity> EnergyChoiceError, TimeChoiceError;
  /// In the place of the uncertainties of these coefficients' sources.
  std::optional<Covariance> Together;
};

/// What a fit says of the prices that it found. What a profile does not say is absent.
struct MachineFit {
  std::optional<FitQuality> Quality;
  std::optional<Correction> Corrects;
};

} // namespace ergon

#endif
