//===- WaysMeeting.h - where the ways from a branch meet --------*- C++ -*-===//
#pragma once

#include "passes/ir/LLVM.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <vector>

namespace ergon {

/// Post-dominance over the ways on which the program goes on: without calls that do not return and
/// without exceptions, unless there is no other way. Counts are for runs without failures.
class WaysMeeting {
public:
  /// Those of \p F, which must outlive this.
  explicit WaysMeeting(const llvm::Function &F);

  /// The block that all ways from \p From pass next; null for the function's end.
  const BasicBlock *after(const BasicBlock &From) const;
  /// The blocks that control goes to from \p From.
  SmallVector<const BasicBlock *, 2> next(const BasicBlock &From) const;
  /// The blocks whose branches decide whether \p Block runs.
  SmallVector<const BasicBlock *, 2> deciders(const BasicBlock &Block) const;

private:
  llvm::DenseSet<const BasicBlock *> Failing; ///< they lead to no return
  std::vector<const BasicBlock *> Order;      ///< from the end back, as far as known
  llvm::DenseMap<const BasicBlock *, int> Number, Next;
  llvm::DenseMap<const BasicBlock *, SmallVector<const BasicBlock *, 2>> Deciders;

  void findFailing(const llvm::Function &F);
  void number(const llvm::Function &F);
};

} // namespace ergon
