//===- LoopPosition.h - position of a source loop ---------------*- C++ -*-===//
//
// Passes that copy and change a loop keep the position of its source, by which its copies are found
// again.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/ir/LLVM.h"

#include "llvm/IR/DebugLoc.h"

#include <tuple>

namespace ergon {

/// Line, column, file, and the call where the code was inlined.
using LoopPosition = std::tuple<unsigned, unsigned, const llvm::DIFile *, const llvm::DILocation *>;

/// \p Position must be valid.
LoopPosition positionKey(const llvm::DebugLoc &Position);

/// The position of the source loop of \p L. A vector loop has it only at its own branch.
llvm::DebugLoc positionOf(const llvm::Loop &L);

} // namespace ergon
