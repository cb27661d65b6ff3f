//===- MachineCheckRules.h - the rules that a profile is held to *- C++ -*-===//
//
// What MachineCheck.cpp and MachineCheckCosts.cpp share; not for others.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_ENERGY_MACHINECHECKRULES_H
#define ERGON_MODEL_ENERGY_MACHINECHECKRULES_H

#include "model/energy/CheckFinding.h"
#include "model/machine/Machine.h"

#include <string>

namespace ergon {

/// Printed rates are rounded, mostly to four digits.
inline constexpr double RoundedRate = 1.001;

/// A number in a message: six digits at most.
std::string checkText(double Value);

/// JSON pointers into a profile: to the rate of a class, and to its price.
inline std::string rateAt(const std::string &Class) {
  return "/throughput/" + Class + "/per_s/value";
}
inline std::string energyAt(const std::string &Class, const EnergyCost &Cost) {
  return "/energy/" + Class + (Cost.Rail ? "/j_per_v2/value" : "/j/value");
}

/// Settings and rates against clocks, voltages and the datasheet.
void checkHardware(const Machine &M, CheckFindings &Found);
/// Rates, prices and powers against each other and what machines have been.
void checkCosts(const Machine &M, CheckFindings &Found);
/// What a core does against itself.
void checkPipeline(const Machine &M, CheckFindings &Found);

} // namespace ergon

#endif
