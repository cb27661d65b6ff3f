//===- NvptxCounts.h - counts of GPU operations -----------------*- C++ -*-===//
//
// The table of NVIDIA GPU operations beyond LLVM's. An operation has the same name in PTX
// (`fma.rn.f32`) and as an intrinsic (`llvm.nvvm.fma.rn.f`), so one table serves both.
// All counts are per thread. A warp-wide operation counts for each thread its share, so that the
// sum over a launch is exact.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/opcodes/Operations.h"

#include <optional>

namespace ergon {

/// The operation named by \p Name, the parts between the dots, mostly by the first. \p IsFloat: on
/// floating-point values. Nothing for names that the table lacks, and for those that count as more
/// than an operation.
std::optional<Operation> deviceOperation(ArrayRef<StringRef> Name, bool IsFloat);

/// Counts a thread's share of a tensor instruction (`mma`, `wmma.mma`, `wgmma`). False where the
/// name does not give shape and type.
bool addMatrixOperation(ArrayRef<StringRef> Name, Tally &Sum);
/// A thread's share of the bytes of a `wmma.load` or `wmma.store`; zero where the name does not
/// give shape and type.
long matrixBytes(ArrayRef<StringRef> Name);

/// How many of the results of \p Site the code uses.
long usedResults(const CallBase &Site);

/// Counts \p I, an intrinsic of NVVM. False where no rule applies.
bool addDeviceIntrinsic(const llvm::IntrinsicInst &I, const llvm::LoopInfo &LI, Tally &Sum);

} // namespace ergon
