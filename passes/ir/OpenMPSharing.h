//===- OpenMPSharing.h - work sharing without the runtime -------*- C++ -*-===//
//
// The part of OpenMP.cpp that works on one function: replaces its runtime calls by what they do for
// a thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/ir/LLVM.h"

namespace ergon {

/// Replaces the runtime's answers to the threads of \p F: their number, their share of loops, who
/// executes `single`. True if anything changed.
bool writeOutSharing(llvm::Function &F);

/// Promotes variables that only runtime calls kept in memory to registers. With \p KeepAccesses, an
/// unrelated stack load or store replaces each removed access.
void promoteCaptures(llvm::Function &F, bool KeepAccesses);

} // namespace ergon
