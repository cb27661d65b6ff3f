//===- GpuCalibration.h - runs all probes of a GPU --------------*- C++ -*-===//
//
// Used by CommandCalibrateGpu.cpp and shown by GpuCalibrationView.cpp.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "calibration/cuda/GpuMachine.h"
#include "calibration/cuda/GpuRun.h"
#include "formats/json/Error.h"
#include "model/fit/EnergyFit.h"
#include "tools/calibrate/CalibrationLog.h"

#include <cstddef>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// Where samples go: launches and copies, without energy, have a file of their own.
struct GpuLogs {
  std::optional<CalibrationLog> Kernels, Transfers; ///< those that are wanted
  double CoreMhz = 0;
  /// The file that samples of \p Probe go to.
  CalibrationLog &of(const cuda::GpuProbe &Probe) {
    return Probe.hasEnergy() ? *Kernels : *Transfers;
  }
};

/// The requested accuracy of a GPU's measurement.
struct GpuGoal {
  double LaunchS = 10e-3, BurstS = 20e-3;           ///< minimum time of a launch and of a sample
  double TimeRelative = 0.01, PowerRelative = 0.02; ///< maximum width of intervals
  std::size_t Least = 5, Most = 20;                 ///< number of good samples
  cuda::MeterTimes Meter{};

  /// Whether there are enough samples, and the confidence intervals of both medians are narrow
  /// enough. Without \p Watts, only time counts.
  bool reached(const std::vector<double> &Seconds, const std::vector<double> &Watts) const;
};

/// What came of the probes.
struct GpuCalibrationResult {
  std::vector<cuda::GpuMeasured> Probes;
  std::vector<cuda::GpuMixed> Mixed;
  std::optional<double> IdleBeforeW, IdleAfterW;
  std::size_t Attempts = 0, ClockMoved = 0, HeldDown = 0; ///< samples; those that were dropped
  std::map<std::string, std::size_t> HeldDownBy;
  /// Samples that were not used.
  std::size_t dropped() const { return ClockMoved + HeldDown; }
  std::size_t Outliers = 0;
  /// Probes without enough samples, and those with an interval that is too wide.
  std::vector<std::string> Unmeasured, Wide;
  /// Probes that the GPU slows down soon: their time is of short bursts, and their power is
  /// unknown. With the clock that they were slowed down to, in Hz; 0 where that was seen by an
  /// earlier run.
  std::map<std::string, double> TimeAlone;
  std::optional<EnergyFit> Energy;
  std::string WhyNoEnergy; ///< where there is none
};

/// Runs a hot probe until power, or without a meter the clock, changes by less than 1 %, for at
/// most a minute. Returns the multiprocessors' clock; \p IsSteady receives whether it became
/// steady.
std::expected<double, Error> warmUp(cuda::GpuBench &Bench, const cuda::GpuProbe &Probe,
                                    const GpuGoal &Goal, bool &IsSteady);

/// Samples until each probe has enough, showing progress on a terminal. Errors: the samples cannot
/// be written; the GPU fails or is held down; an interruption (without a text).
std::expected<GpuCalibrationResult, Error> measureGpu(cuda::GpuBench &Bench,
                                                      const std::vector<cuda::GpuProbe> &Probes,
                                                      const GpuGoal &Goal, double ClockHz,
                                                      GpuLogs &Logs);

/// The same error, said of the option --gpu.
Error withGpuOption(Error Bad);

/// Seconds that the probes take without disturbance.
double expectedSeconds(const cuda::GpuBench &Bench, const std::vector<cuda::GpuProbe> &Probes,
                       const GpuGoal &Goal);

/// As printProbes() and printCalibration(), of a GPU. JSON: `ergon-probes/1`,
/// `ergon-gpu-calibration/1`.
void printGpuProbes(const cuda::GpuProbeTable &ProbeTable, double ExpectedS, bool InJson);
void printGpuCalibration(const GpuCalibrationResult &Found, const Machine &M,
                         const cuda::GpuProbeTable &From, const std::string &Samples, bool InJson);

} // namespace ergon
