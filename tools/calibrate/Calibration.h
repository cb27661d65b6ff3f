//===- Calibration.h - a run of all probes ----------------------*- C++ -*-===//
//
// What CommandCalibrate.cpp lets run and CalibrationView.cpp shows.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "calibration/Campaign.h"
#include "calibration/ClockScaling.h"
#include "calibration/Measure.h"
#include "formats/json/Error.h"
#include "tools/calibrate/CalibrationEnergy.h"
#include "tools/calibrate/CalibrationLog.h"

#include <cstddef>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

class ClockSweep;

/// What came of the probes.
struct CalibrationResult : CampaignResult {
  std::vector<MixedProbe> Mixed;
  std::vector<double> ClockHz; ///< at the start; in the end those of probes
  EnergyHalf Energy;
  // Of a sweep; all else is of the first setting.
  std::vector<double> SettingsMhz;
  std::map<double, CampaignResult> Others; ///< at the other settings
  std::vector<ClockScaling> Scalings;
  std::map<double, std::string> NotTaken; ///< settings that cannot be, and why
};

/// What is to be measured.
struct CalibrationPlan {
  const std::vector<Probe> &Probes;
  SamplingGoal Goal;
  unsigned LineBytes;
  std::string Profile; ///< beside which the samples are
  bool IsQuick = false;
  ClockSweep *Sweep = nullptr; ///< null: at the clock that the machine has
};

/// The goal where samples take so many times as long.
SamplingGoal longer(SamplingGoal Goal, double Times);

/// Samples until each probe has enough, showing progress on a terminal, at one clock after the
/// other. Clocks are as they were when this returns. Errors: the samples cannot be written; the
/// machine is too busy; it takes none of the clocks; an empty one where StopWhenAsked::asked().
std::expected<CalibrationResult, Error> measureAll(const CalibrationPlan &Plan, EnergyMeter &Meter,
                                                   std::optional<CalibrationLog> &Log);

/// Cycles a second while all processors work.
double clockAtWork();

/// The probes that would run, with what an iteration does and how long all take: `ergon calibrate
/// --dry-run`. JSON: `ergon-probes/1`.
void printProbes(const ProbeTable &Table, const SamplingGoal &Goal, unsigned LineBytes,
                 const std::vector<double> &ClocksMhz, bool InJson);
/// A calibration whose profile is written.
struct Calibrated {
  const CalibrationResult &Result;
  const Machine &M; ///< the profile
  const ProbeTable &From;
  const ProbedMachine &Probed;
  std::string Processor; ///< its model's name; may be empty
  std::string File;      ///< of the profile
  std::string Samples;   ///< the file of samples
  std::string Replaced;  ///< the date of an earlier profile that was at the default place
  bool IsOwn = false;    ///< the profile is where other commands find it without --machine
  double TookS = 0;
};

/// A screen: the best rates, latencies and energies with their intervals, what is not known well,
/// and what to do next. At most 25 lines.
void printSummary(const Calibrated &C);
/// Every rate and latency, and what samples were dropped or disturbed.
void printDetails(const Calibrated &C);
/// Prints `ergon-calibration/1`.
void printCalibrationJson(const Calibrated &C);

} // namespace ergon
