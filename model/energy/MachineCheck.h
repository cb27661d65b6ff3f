//===- MachineCheck.h - whether a profile's numbers can be ------*- C++ -*-===//
//
// What a well-formed profile can still have wrong: numbers that contradict each other,
// the datasheet, or what any machine has ever been. Most are a unit off by 10³ or
// 10¹², or a digit. docs/checking-machines.md has the rules and where their limits
// are from.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_ENERGY_MACHINECHECK_H
#define ERGON_MODEL_ENERGY_MACHINECHECK_H

#include "model/energy/CheckFinding.h"
#include "model/machine/Machine.h"

#include <vector>

namespace ergon {

/// In the order of the rules, then of the profile.
std::vector<CheckFinding> checkMachine(const Machine &M);

} // namespace ergon

#endif
