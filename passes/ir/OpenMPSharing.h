//===- OpenMPSharing.h - work sharing without the runtime -------*- C++ -*-===//
//
// The half of OpenMP.cpp that works on one function: what its calls of the
// runtime do for a thread, written as code.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_IR_OPENMPSHARING_H
#define ERGON_PASSES_IR_OPENMPSHARING_H

namespace llvm {
class Function;
} // namespace llvm

namespace ergon {

/// Replaces what the runtime tells the threads that run \p F: their number, their
/// share of loops, who goes into `single`. True if anything changed.
bool writeOutSharing(llvm::Function &F);

/// Variables in memory, which only the calls to the runtime kept there, into registers. With
/// \p KeepAccesses a load or store of the stack that is not connected to anything
/// stands for each access that goes away.
void promoteCaptures(llvm::Function &F, bool KeepAccesses);

} // namespace ergon

#endif
