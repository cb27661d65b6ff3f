//===- NeighbourAccesses.h - loads and stores that become one ---*- C++ -*-===//
//
// The fields of a float4 are loaded and stored one by one in IR. NVPTX's back end makes
// one instruction of neighbours in memory (LLVM's load-store vectorizer): how many
// requests a warp has depends on it.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_ACCESS_NEIGHBOURACCESSES_H
#define ERGON_PASSES_ACCESS_NEIGHBOURACCESSES_H

#include "llvm/ADT/DenseMap.h"

namespace llvm {
class BasicBlock;
class Instruction;
} // namespace llvm

namespace ergon {

/// Of loads and stores in \p B that become one with neighbours: the bytes of all for the
/// one at the lowest address, 0 for the others.
llvm::DenseMap<const llvm::Instruction *, unsigned> neighboursIn(const llvm::BasicBlock &B);

} // namespace ergon

#endif
