//===- LoopChains.h - loop-carried dependence chains ------------*- C++ -*-===//
//
// Dependence chains from one iteration of a loop to the next: through header phis, and through
// memory that a later iteration reads. However wide a processor is, an iteration takes at least as
// long as the longest chain.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Instructions.h"
#include "passes/ir/LLVM.h"

#include <vector>

namespace ergon {

class InstructionMixer;

/// The chains of \p L, an innermost loop, that may be the longest, which depends on the processor.
/// Per iteration, without slots; a chain over several iterations has a part of each.
std::vector<InstructionMix> chainsOf(const llvm::Loop &L, const llvm::LoopInfo &LI,
                                     llvm::ScalarEvolution &SE, const InstructionMixer &Mixer);

} // namespace ergon
