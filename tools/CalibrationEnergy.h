//===- CalibrationEnergy.h - the energy half of a calibration ---*- C++ -*-===//
#ifndef ERGON_TOOLS_CALIBRATIONENERGY_H
#define ERGON_TOOLS_CALIBRATIONENERGY_H

#include "calibration/EnergyCampaign.h"
#include "calibration/EnergyMeter.h"
#include "formats/Error.h"

#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// What came of the meters.
struct EnergyHalf {
  std::string Meter; ///< what was read
  std::string Why;   ///< why there are no energies; empty where there are
  std::optional<double> IdleBeforeW, IdleAfterW;
  WarmUp Warm;
  EnergyResult Samples;
  std::string File; ///< of the samples
  std::optional<EnergyFit> Fit;
};

/// Mean power of the idle machine over some time; nothing where no meter can be read.
std::optional<double> idleWatts(EnergyMeter &Meter, bool IsQuick);

/// Warms the machine up, samples and fits. Interrupted, the process ends. Errors: samples cannot be
/// written; the machine is too busy. What is wrong with a meter, or with a fit, is in Why.
std::expected<EnergyHalf, Error> measureEnergies(const std::vector<Probe> &Probes,
                                                 EnergyMeter &Meter, const std::string &Profile,
                                                 double CoreHz, unsigned LineBytes, bool IsQuick);

} // namespace ergon

#endif
