//===- MachineTiming.h - how fast a machine is ------------------*- C++ -*-===//
//
// Rates of cost classes, in-core rates, and the time of a change of setting. SI units.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/Pipeline.h"
#include "model/machine/Quantity.h"
#include "model/machine/Setting.h"

#include <map>
#include <optional>
#include <string>

namespace ergon {

/// Units of a class per second.
struct Throughput {
  Quantity PerS;
  /// Where present, PerS holds at AtMhz and scales with the clock of this domain.
  std::optional<Domain> Clock;
  double AtMhz = 0;
};

/// The cost of a change between any two settings.
struct SwitchCost {
  Quantity TimeS, EnergyJ;
};

/// The timing of a machine. Unknown parts are absent.
struct MachineTiming {
  std::map<std::string, Throughput> Throughputs; ///< by cost class
  /// p in T = (Σ t^p)^(1/p) over the classes' times t: 1 without overlap, infinity in a roofline.
  /// Absent: a roofline.
  std::optional<Quantity> OverlapExponent;
  std::optional<Pipeline> InCore; ///< of a calibrated CPU
  std::optional<SwitchCost> Switching;
};

} // namespace ergon
