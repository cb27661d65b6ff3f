//===- NvptxCounts.h - what a GPU's own operations count --------*- C++ -*-===//
//
// The table of the operations that NVIDIA's GPUs have beyond LLVM's. An operation
// has the same name as an instruction of PTX (`fma.rn.f32`) and as an intrinsic
// (`llvm.nvvm.fma.rn.f`), so one table serves both.
//
// All counts are of one thread. What the threads of a warp do together counts for
// each of them its share, so that the sum over a launch is what is done.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_OPCODES_NVPTXCOUNTS_H
#define ERGON_PASSES_OPCODES_NVPTXCOUNTS_H

#include "passes/opcodes/Operations.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace llvm {
class CallBase;
class IntrinsicInst;
class LoopInfo;
} // namespace llvm

namespace ergon {

/// The operation that \p Words are, the parts of a name between its dots; the first
/// alone says it, mostly. \p IsFloat: on floating-point values. Nothing for names
/// that the table does not have, and for those that count as more than an operation.
std::optional<Operation> deviceOperation(llvm::ArrayRef<llvm::StringRef> Words, bool IsFloat);

/// Counts a thread's share of a tensor instruction (`mma`, `wmma.mma`, `wgmma`). False
/// where the name does not tell shape and type.
bool addMatrixOperation(llvm::ArrayRef<llvm::StringRef> Words, Tally &Sum);
/// A thread's share of the bytes of a matrix that `wmma.load` or `wmma.store` moves;
/// zero where the name does not tell shape and type.
long matrixBytes(llvm::ArrayRef<llvm::StringRef> Words);

/// How many of the values that \p Site returns together the code looks at.
long usedResults(const llvm::CallBase &Site);

/// Counts \p I, an intrinsic of NVVM. False where no rule knows it.
bool addDeviceIntrinsic(const llvm::IntrinsicInst &I, const llvm::LoopInfo &LI, Tally &Sum);

} // namespace ergon

#endif
