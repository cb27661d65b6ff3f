//===- X86Counts.h - counts of x86 operations -------------------*- C++ -*-===//
//
// Most functions of immintrin.h are plain vector operations in the IR. The rest
// are intrinsics of the target, whose names are regular: an extension, an
// operation, types. Nearly all of them are known by the operation's name.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/opcodes/Operations.h"

namespace ergon {

/// Counts \p I, an intrinsic of x86. False where no rule applies.
bool addX86Intrinsic(const llvm::IntrinsicInst &I, const llvm::LoopInfo &LI, Tally &Sum);

} // namespace ergon
