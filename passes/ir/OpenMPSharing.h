//===- OpenMPSharing.h - work sharing without the runtime -------*- C++ -*-===//
//
// The part of OpenMP.cpp that works on one function: replaces OpenMP runtime calls by IR with their
// effect on one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/ir/LLVM.h"

namespace ergon {

/// Lowers OpenMP runtime calls in \p F to IR: thread number and count, worksharing loops, `single`,
/// `master` and reductions. True if anything changed.
bool lowerOpenMPRuntimeCalls(llvm::Function &F);

/// Promotes variables that only runtime calls kept in memory to registers. With
/// \p AddStandInAccesses, a volatile load or store of another stack variable replaces each removed
/// access, so that their number stays.
void promoteCaptures(llvm::Function &F, bool AddStandInAccesses);

} // namespace ergon
