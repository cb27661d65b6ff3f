//===- PowerReadings.h - power over time, and its integral ------*- C++ -*-===//
#pragma once

#include "model/measurements/ToolLog.h"

#include <optional>
#include <span>
#include <utility>

namespace ergon {

/// The usual time between two readings, in seconds: their median. 0 of fewer than two.
double readingPeriodS(std::span<const PowerReading> Readings);

/// The energy from \p FromS to \p UntilS in joules: the trapezoid rule over the readings, between
/// which power is linear. Nothing where the readings do not cover that time; half a period before
/// the first and after the last one, their power holds.
std::optional<double> integratedEnergyJ(std::span<const PowerReading> Readings, double FromS,
                                        double UntilS);

/// The mean power of what runs from \p FromS to \p UntilS in watts: the integral between the first
/// and the last reading in that time over the time between these. Readings around it are of what
/// runs before and after. Nothing where the log does not cover that time with three readings.
std::optional<double> meanPowerW(std::span<const PowerReading> Readings, double FromS,
                                 double UntilS);

/// The clocks from \p FromS to \p UntilS in MHz, core and memory: medians of the readings in that
/// time, or the nearest reading's where none is.
std::pair<std::optional<double>, std::optional<double>>
clocksBetween(std::span<const PowerReading> Readings, double FromS, double UntilS);

/// The part of a log in which the device works.
struct LoadedPart {
  double MeanW = 0;
  double DurationS = 0;     ///< of all readings under load, a period each
  std::size_t Readings = 0; ///< under load
  bool HasIdle = false;     ///< the log has readings without load
  std::optional<double> CoreMhz = {}, MemMhz = {};
  /// The least and the most, but for a board's ramps.
  std::optional<std::pair<double, double>> Cores = {}, Mems = {};
  bool CoreVaries = false, MemVaries = false; ///< by more than ClockTolerance
};
/// Readings above the middle between least and most power, where the most is 1.25 times the least
/// or more; otherwise all.
LoadedPart loadedPart(std::span<const PowerReading> Readings);

/// Clocks that differ by less are one setting: boards move that much with their temperature.
inline constexpr double ClockTolerance = 0.02;

} // namespace ergon
