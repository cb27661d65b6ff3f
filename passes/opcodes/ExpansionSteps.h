//===- ExpansionSteps.h - flops that a GPU executes -------------*- C++ -*-===//
//
// A GPU executes several multiplications and fused operations for a division, a square root or an
// elementary function. The classes `steps_low_<type>` and `steps_high_<type>` count them; a
// profiler's flops are `flops_ - div_ - sqrt_ + steps_`. docs/decisions/0035-executed-steps.md says
// where the numbers are from.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/opcodes/Operations.h"

namespace ergon {

/// Adds \p Lanes times the steps of a PTX instruction, by the words of its name and its type:
/// `div rn`, F32. None for an instruction that has no expansion.
void addSteps(ArrayRef<StringRef> Name, FloatType Type, Tally &Sum, long Lanes);

/// Adds the steps of the device instruction \p I, as the code generator selects it; of a
/// multiplication also the flops by which several sums that it is contracted with exceed its own.
void addSteps(const Instruction &I, Tally &Sum);

} // namespace ergon
