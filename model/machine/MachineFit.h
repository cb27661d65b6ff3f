//===- MachineFit.h - how good the fit of a profile is ----------*- C++ -*-===//
//
// Errors of a fit, covariances of its coefficients, and the correction between the formula and the
// fitted runs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/PowerLaw.h"
#include "model/machine/Quantity.h"

#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// Covariances of coefficients, named as in Machine::coefficients().
struct Covariance {
  std::vector<std::string> Coefficients;
  /// Covariances of relative errors, a row for each of Coefficients: symmetric.
  std::vector<std::vector<double>> Relative;
  std::string Source;
};

/// Errors of a fit on held-out samples: standard deviations of predicted/measured - 1. Energy is
/// predicted from measured time.
struct FitQuality {
  std::optional<Quantity> EnergyError, TimeError;
  /// The part that differs between the settings of one workload, after subtracting each workload's
  /// mean. Only this part can change a choice.
  std::optional<Quantity> EnergyChoiceError, TimeChoiceError;
  /// Replaces the uncertainties of these coefficients' sources.
  std::optional<Covariance> JointCovariance;
};

/// What a fit states about its costs. Unknown parts are absent.
struct MachineFit {
  std::optional<FitQuality> Quality;
  std::optional<Correction> Corrects;
};

} // namespace ergon
