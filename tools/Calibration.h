//===- Calibration.h - a run of all probes ----------------------*- C++ -*-===//
//
// What CommandCalibrate.cpp lets run and CalibrationView.cpp shows.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_TOOLS_CALIBRATION_H
#define ERGON_TOOLS_CALIBRATION_H

#include "calibration/Campaign.h"
#include "calibration/Measure.h"
#include "formats/Error.h"
#include "tools/CalibrationEnergy.h"

#include <cstddef>
#include <expected>
#include <string>
#include <vector>

namespace ergon {

class CalibrationLog;

/// What came of the probes.
struct CalibrationResult : CampaignResult {
  std::vector<MixedProbe> Mixed;
  std::vector<double> ClockHz; ///< at the start
  EnergyHalf Energy;
};

/// Samples until each probe has enough, showing progress on a terminal. Errors: the
/// samples cannot be written; the machine is too busy. Who interrupts ends the program.
std::expected<CalibrationResult, Error> measureAll(const std::vector<Probe> &Probes,
                                                   const SamplingGoal &Goal, unsigned LineBytes,
                                                   std::vector<double> ClockHz,
                                                   CalibrationLog &Log);

void printProbes(const ProbeTable &Of, const SamplingGoal &Goal, unsigned LineBytes, bool Json);
void printCalibration(const CalibrationResult &Of, const Machine &M, const ProbeTable &From,
                      const std::string &Samples, bool Json);

} // namespace ergon

#endif
