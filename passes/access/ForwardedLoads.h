//===- ForwardedLoads.h - loads of what was just stored ---------*- C++ -*-===//
//
// A loop that reads what its previous iteration stored, as x[i - 1] in x[i] = x[i - 1] + y[i],
// keeps it in a register: LLVM's LoopLoadElimination, which runs after the snapshot, loads it once,
// before the loop.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/symbolic/AnalysisContext.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace ergon {

/// The loads of a function that its loops will do once for each time they are entered.
class ForwardedLoads {
public:
  /// Of a function that is still to be optimized; the pass tries it on a copy.
  explicit ForwardedLoads(AnalysisContext &Context);

  /// Whether \p I is such a load.
  bool contains(const Instruction &I) const { return All.contains(&I); }
  /// Those that \p B, a block before or after their loop, has instead.
  ArrayRef<const Instruction *> doneIn(const BasicBlock &B) const;

private:
  llvm::DenseSet<const Instruction *> All;
  llvm::DenseMap<const BasicBlock *, SmallVector<const Instruction *, 2>> Instead;
};

} // namespace ergon
