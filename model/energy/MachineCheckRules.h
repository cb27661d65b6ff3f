//===- MachineCheckRules.h - the rules of profile checks --------*- C++ -*-===//
//
// Shared by MachineCheck.cpp and MachineCheckCosts.cpp only.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/energy/CheckFinding.h"
#include "model/machine/Machine.h"

#include <string>

namespace ergon {

/// Printed rates are rounded, mostly to four digits.
inline constexpr double RoundedRate = 1.001;

/// A number in a message: six digits at most.
std::string checkText(double Value);

/// JSON pointers into a profile: to the rate and the cost of a class.
inline std::string rateAt(const std::string &Class) {
  return "/throughput/" + Class + "/per_s/value";
}
inline std::string energyAt(const std::string &Class, const EnergyCost &Cost) {
  return "/energy/" + Class + (Cost.Rail ? "/j_per_v2/value" : "/j/value");
}

/// Checks settings and rates against clocks, voltages and the datasheet.
void checkHardware(const Machine &M, CheckFindings &Found);
/// Checks rates, costs and powers against each other and known machines.
void checkCosts(const Machine &M, CheckFindings &Found);
/// Checks in-core rates and latencies against each other.
void checkPipeline(const Machine &M, CheckFindings &Found);

} // namespace ergon
