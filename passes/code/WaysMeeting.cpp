//===- WaysMeeting.cpp - where the ways from a branch meet ----------------===//

#include "passes/code/WaysMeeting.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace ergon {

/// Blocks from which every way ends in `unreachable`.
void WaysMeeting::findFailing(const llvm::Function &F) {
  SmallVector<const BasicBlock *, 16> Open;
  for (const BasicBlock &Block : F)
    if (isa<llvm::ReturnInst>(Block.getTerminator()))
      Open.push_back(&Block);
  llvm::DenseSet<const BasicBlock *> Returning(Open.begin(), Open.end());
  while (!Open.empty()) {
    const BasicBlock *Block = Open.pop_back_val();
    for (const BasicBlock *Before : llvm::predecessors(Block)) {
      auto *Invoke = dyn_cast<llvm::InvokeInst>(Before->getTerminator());
      if ((!Invoke || Invoke->getNormalDest() == Block) && Returning.insert(Before).second)
        Open.push_back(Before);
    }
  }
  if (Returning.contains(&F.getEntryBlock()))
    for (const BasicBlock &Block : F)
      if (!Returning.contains(&Block))
        Failing.insert(&Block);
}

SmallVector<const BasicBlock *, 2> WaysMeeting::next(const BasicBlock &From) const {
  if (auto *Invoke = dyn_cast<llvm::InvokeInst>(From.getTerminator()))
    return {Invoke->getNormalDest()};
  SmallVector<const BasicBlock *, 2> Result;
  for (const BasicBlock *To : llvm::successors(&From))
    if (!Failing.contains(To) && !llvm::is_contained(Result, To))
      Result.push_back(To);
  return Result;
}

/// Numbers the blocks so that, loops apart, a block comes after all that it leads to. 0 is the end.
void WaysMeeting::number(const llvm::Function &F) {
  Order.push_back(nullptr);
  for (const BasicBlock *Block : llvm::post_order(&F))
    if (!Failing.contains(Block)) {
      Number[Block] = int(Order.size());
      Order.push_back(Block);
    }
}

// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", on the reversed graph.
WaysMeeting::WaysMeeting(const llvm::Function &F) {
  findFailing(F);
  number(F);
  std::vector<int> Found(Order.size(), -1);
  Found[0] = 0;
  auto Meet = [&](int A, int B) {
    SmallVector<int, 16> Path;
    for (int I = A;; I = Found[std::size_t(I)]) {
      Path.push_back(I);
      if (I <= 0 || Path.size() > Order.size())
        break;
    }
    for (std::size_t Steps = 0; !llvm::is_contained(Path, B) && Steps <= Order.size(); ++Steps)
      B = Found[std::size_t(B)];
    return B;
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (std::size_t I = 1; I != Order.size(); ++I) {
      int New = -1;
      const auto After = next(*Order[I]);
      for (const BasicBlock *To : After)
        if (auto Known = Number.find(To); Known != Number.end() &&
                                          Found[std::size_t(Known->second)] != -1 &&
                                          Known->second != int(I))
          New = New == -1 ? Known->second : Meet(Known->second, New);
      if (After.empty())
        New = 0;
      if (New != -1 && New != Found[I]) {
        Found[I] = New;
        Changed = true;
      }
    }
  }
  for (std::size_t I = 1; I != Order.size(); ++I)
    Next[Order[I]] = std::max(Found[I], 0); // a loop without an exit: the end
  for (std::size_t I = 1; I != Order.size(); ++I) {
    const auto After = next(*Order[I]);
    if (After.size() < 2)
      continue;
    for (const BasicBlock *To : After)
      for (int At = Number.lookup(To), Steps = 0;
           At != Next[Order[I]] && At > 0 && Steps <= int(Order.size());
           At = Next[Order[std::size_t(At)]], ++Steps)
        if (auto &List = Deciders[Order[std::size_t(At)]]; !llvm::is_contained(List, Order[I]))
          List.push_back(Order[I]);
  }
}

const BasicBlock *WaysMeeting::after(const BasicBlock &From) const {
  auto Found = Next.find(&From);
  return Found == Next.end() ? nullptr : Order[std::size_t(Found->second)];
}

SmallVector<const BasicBlock *, 2> WaysMeeting::deciders(const BasicBlock &Block) const {
  return Deciders.lookup(&Block);
}

} // namespace ergon
