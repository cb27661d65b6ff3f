//===- ClockLaws.h - which rates follow the clock ---------------*- C++ -*-===//
//
// In a profile each rate is proportional to the core's clock or the same at every clock
// (machine-profiles/README.md). Measurements at several clocks tell which, and with which error.
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
  std::vector<Measured> Probes;
};

/// How the rate of a class depends on the clock.
struct ClockLaw {
  std::string Class;
  bool FollowsCore = true; ///< otherwise it is the same at every clock
  /// Root mean square of ln(by the law/measured) at the other clocks; nothing where it was measured
  /// at none of them.
  std::optional<double> Error{};
};

/// The law of each throughput at the first clock: the one that is nearer to those at the others,
/// each by the probes that were measured at both. In logarithms both laws are lines whose slope is
/// known.
std::vector<ClockLaw> clockLaws(const std::vector<AtClock> &All, unsigned LineBytes);

/// Puts settings into \p M, the first is the default, and how throughputs follow them; what a law
/// is off is added to the error of its throughput. Of the source of that key.
void describeClocks(Machine &M, const std::vector<double> &CoreMhz,
                    const std::vector<ClockLaw> &Laws, const std::string &Source);

} // namespace ergon
