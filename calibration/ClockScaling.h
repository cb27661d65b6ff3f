//===- ClockScaling.h - rates at several clocks -----------------*- C++ -*-===//
//
// In a profile each rate is proportional to the core's clock or the same at every clock
// (machine-profiles/README.md). Measurements at several clocks determine which of the two, and its
// error.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "calibration/CalibratedMachine.h"

#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// What was measured at one clock.
struct AtClock {
  double CoreMhz = 0;
  std::vector<Measured> Measurements;
};

/// How the rate of a class depends on the clock.
struct ClockScaling {
  std::string Class;
  bool ScalesWithCoreClock = true; ///< otherwise it is the same at every clock
  /// Root mean square of ln(predicted/measured) at the other clocks; nullopt if not measured at
  /// another clock.
  std::optional<double> Error{};
};

/// The scaling of each throughput at the first clock: of the two (slope 1 or 0 in log-log space),
/// the one with the smaller squared error at the other clocks, using only probes measured at both
/// clocks.
std::vector<ClockScaling> clockScalings(const std::vector<AtClock> &ByClock, unsigned LineBytes);

/// Puts settings into \p M, the first is the default, and how throughputs scale with them; the
/// error of a scaling is added to the variance of its throughput. \p Source: key of the source.
void describeClocks(Machine &M, const std::vector<double> &CoreMhz,
                    const std::vector<ClockScaling> &Scalings, const std::string &Source);

} // namespace ergon
