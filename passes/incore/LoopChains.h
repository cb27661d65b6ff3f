//===- LoopChains.h - what an iteration waits for ---------------*- C++ -*-===//
//
// Chains of instructions from one iteration of a loop to the next: through values that the
// loop hands on, and through memory that one iteration writes and a later one reads. However
// wide a processor is, an iteration takes no less than the longest of them.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_INCORE_LOOPCHAINS_H
#define ERGON_PASSES_INCORE_LOOPCHAINS_H

#include "model/program/Instructions.h"

#include <vector>

namespace llvm {
class Loop;
class LoopInfo;
class ScalarEvolution;
} // namespace llvm

namespace ergon {

class InstructionMixer;

/// The chains of \p L, an innermost loop, that may be the longest: which it is depends on the
/// processor. Of one iteration, without slots; a chain over several has a part of each.
std::vector<InstructionMix> chainsOf(const llvm::Loop &L, const llvm::LoopInfo &LI,
                                     llvm::ScalarEvolution &SE, const InstructionMixer &Mixer);

} // namespace ergon

#endif
