//===- Calibration.h - a run of all probes ----------------------*- C++ -*-===//
//
// What CommandCalibrate.cpp lets run and CalibrationView.cpp shows.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_TOOLS_CALIBRATION_H
#define ERGON_TOOLS_CALIBRATION_H

#include "calibration/CalibratedMachine.h"
#include "calibration/Measure.h"
#include "formats/Error.h"

#include <cstddef>
#include <expected>
#include <string>
#include <vector>

namespace ergon {

class CalibrationLog;

/// What came of the probes.
struct CalibrationResult {
  std::vector<Measured> Probes;
  std::vector<MixedProbe> Mixed;
  std::vector<double> ClockHz;
  std::size_t Preempted = 0, ClockMoved = 0; ///< samples that were dropped
  std::size_t Outliers = 0;
  /// Probes without enough samples, and those whose interval is wider than was wanted.
  std::vector<std::string> Unmeasured, Wide;
};

/// Samples until each probe has enough, showing progress on a terminal. Errors: the
/// samples cannot be written; the machine is too busy; somebody interrupted (without a text).
std::expected<CalibrationResult, Error> measureAll(const std::vector<Probe> &Probes,
                                                   const SamplingGoal &Goal, unsigned LineBytes,
                                                   std::vector<double> ClockHz,
                                                   CalibrationLog &Log);

/// Seconds that the probes take if nothing disturbs them: samples, and passes before them.
double expectedSeconds(const Probe &Of, const SamplingGoal &Goal);

void printProbes(const ProbeTable &Of, const SamplingGoal &Goal, unsigned LineBytes, bool Json);
void printCalibration(const CalibrationResult &Of, const Machine &M, const ProbeTable &From,
                      const std::string &Samples, bool Json);

} // namespace ergon

#endif
