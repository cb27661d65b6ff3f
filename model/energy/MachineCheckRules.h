//===- MachineCheckRules.h - the rules that a profile is held to *- C++ -*-===//
//
// What MachineCheck.cpp and MachineCheckCosts.cpp share; not for others.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_ENERGY_MACHINECHECKRULES_H
#define ERGON_MODEL_ENERGY_MACHINECHECKRULES_H

#include "model/energy/MachineCheck.h"

#include <string>
#include <string_view>
#include <utility>

namespace ergon {

/// What is found, in the order in which it is.
struct CheckFindings {
  std::vector<CheckFinding> All;

  void impossible(std::string Rule, std::string Where, std::string What, std::string Mend) {
    All.push_back({std::move(Rule), true, std::move(Where), std::move(What), std::move(Mend)});
  }
  void implausible(std::string Rule, std::string Where, std::string What, std::string Mend) {
    All.push_back({std::move(Rule), false, std::move(Where), std::move(What), std::move(Mend)});
  }
};

/// A number in a message: six digits at most.
std::string checkText(double Value);

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
