//===- RetryLoops.cpp - loops that try again ------------------------------===//

#include "passes/tripcount/RetryLoops.h"
#include "passes/ir/LLVM.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"

namespace ergon {

/// What \p V is a copy of, through changes of its type.
static const llvm::Value *source(const llvm::Value *V) {
  for (;;) {
    if (auto *Change = dyn_cast<llvm::CastInst>(V))
      V = Change->getOperand(0);
    else if (auto *Part = dyn_cast<llvm::ExtractValueInst>(V))
      V = Part->getAggregateOperand();
    else if (auto *Fixed = dyn_cast<llvm::FreezeInst>(V))
      V = Fixed->getOperand(0);
    else
      return V;
  }
}

static bool isSwapIn(const llvm::Loop &L, const llvm::Value *V) {
  auto *Swap = dyn_cast<llvm::AtomicCmpXchgInst>(source(V));
  return Swap && L.contains(Swap);
}

/// Whether \p Read is of a word where \p L stores \p Stored, which it computes: a constant is a
/// flag.
static bool isStored(const llvm::Loop &L, const llvm::Value *Read, const llvm::Value *Stored) {
  auto *Load = dyn_cast<llvm::LoadInst>(source(Read));
  auto *Computed = dyn_cast<Instruction>(source(Stored));
  return Load && L.contains(Load) && Computed && L.contains(Computed) &&
         llvm::any_of(Load->getPointerOperand()->users(), [&](const llvm::User *U) {
           auto *Store = dyn_cast<llvm::StoreInst>(U);
           return Store && L.contains(Store) &&
                  Store->getPointerOperand() == Load->getPointerOperand() &&
                  source(Store->getValueOperand()) == source(Stored);
         });
}

bool retriesUpdate(const llvm::Loop &L) {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  return llvm::any_of(Exiting, [&](const BasicBlock *From) {
    auto *Branch = dyn_cast<llvm::BranchInst>(From->getTerminator());
    if (!Branch || !Branch->isConditional())
      return false;
    const llvm::Value *Condition = Branch->getCondition();
    if (isSwapIn(L, Condition)) // its flag
      return true;
    auto *Compare = dyn_cast<llvm::CmpInst>(Condition);
    if (!Compare || !Compare->isEquality())
      return false;
    const llvm::Value *Left = Compare->getOperand(0), *Right = Compare->getOperand(1);
    return isSwapIn(L, Left) || isSwapIn(L, Right) || isStored(L, Left, Right) ||
           isStored(L, Right, Left);
  });
}

} // namespace ergon
