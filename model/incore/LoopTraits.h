//===- LoopTraits.h - what is asked of a loop to know its time --*- C++ -*-===//
#ifndef ERGON_MODEL_INCORE_LOOPTRAITS_H
#define ERGON_MODEL_INCORE_LOOPTRAITS_H

#include "model/access/AccessProgram.h"

namespace ergon {

/// Whether the trip count is the mean of some that data told.
bool isMean(const AccessNest &Nest);

/// Whether any access of the loop's own loads.
bool hasLoads(const AccessNest &Nest);

/// Bits of the widest access in the loop that does most of its iterations; 0 where there is none.
unsigned widestAccess(const AccessNest &Nest);

/// Loads and stores alone.
InstructionMix accessesOf(const InstructionMix &Mix);

/// Of a chain, but for the branch that waits for it.
double instructionsOf(const InstructionMix &Chain);

/// Whether the end of a loop waits for \p Chain.
bool decidesEnd(const InstructionMix &Chain);

} // namespace ergon

#endif
