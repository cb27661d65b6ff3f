//===- MachineTiming.h - how fast a machine is ------------------*- C++ -*-===//
//
// Rates of cost classes, what a processor core does in a cycle, and how long a change of the
// setting takes. SI units.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_MACHINE_MACHINETIMING_H
#define ERGON_MODEL_MACHINE_MACHINETIMING_H

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

/// What going from one setting to another takes, whichever two they are.
struct SwitchCost {
  Quantity TimeS, EnergyJ;
};

/// How long a machine takes. What a profile does not say is absent.
struct MachineTiming {
  std::map<std::string, Throughput> Throughputs; ///< by cost class
  /// p in T = (Σ t^p)^(1/p) over the times t that classes take by themselves: 1 where
  /// nothing overlaps, infinity in a roofline. Without it T is a roofline's.
  std::optional<Quantity> OverlapExponent;
  std::optional<Pipeline> InCore; ///< of a CPU that was calibrated
  std::optional<SwitchCost> Switching;
};

} // namespace ergon

#endif
