//===- MachineCheck.h - plausibility of a profile ---------------*- C++ -*-===//
//
// Errors that a well-formed profile can still have: numbers that contradict each other, the
// datasheet, or the range of all known machines. Most are a unit off by 10³ or 10¹², or a digit.
// docs/checking-machines.md has the rules and the sources of their limits.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/energy/CheckFinding.h"
#include "model/machine/Machine.h"

#include <vector>

namespace ergon {

/// In the order of the rules, then of the profile.
std::vector<CheckFinding> checkMachine(const Machine &M);

} // namespace ergon
