//===- LoopTraits.h - properties of a loop for its time ---------*- C++ -*-===//
#pragma once

#include "model/access/AccessProgram.h"

namespace ergon {

/// Whether the trip count is a mean of data-dependent ones.
bool isMean(const AccessNest &Nest);

/// Whether the loop itself, without inner loops, has loads.
bool hasLoads(const AccessNest &Nest);

/// Width in bits of the widest access in the machine loop with most of its iterations; 0 where
/// there is none.
unsigned widestAccess(const AccessNest &Nest);

/// Only the loads and stores of \p Mix.
InstructionMix accessesOf(const InstructionMix &Mix);

/// Issue slots of \p Mix beside its loads and stores.
double workSlotsOf(const InstructionMix &Mix);

/// Number of instructions in a chain, without the branch that waits for it.
double instructionsOf(const InstructionMix &Chain);

/// Whether a loop's exit condition waits for \p Chain.
bool decidesEnd(const InstructionMix &Chain);

} // namespace ergon
