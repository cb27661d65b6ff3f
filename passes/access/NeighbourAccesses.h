//===- NeighbourAccesses.h - loads and stores that are merged ---*- C++ -*-===//
//
// IR loads and stores the fields of a float4 separately. NVPTX's back end merges adjacent ones
// (LLVM's load-store vectorizer), which determines the number of requests of a warp.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/ir/LLVM.h"

#include "llvm/ADT/DenseMap.h"

namespace ergon {

/// For loads and stores in \p B that are merged: the bytes of the whole at the lowest address, 0
/// for the others.
llvm::DenseMap<const Instruction *, unsigned> neighboursIn(const BasicBlock &B);

} // namespace ergon
