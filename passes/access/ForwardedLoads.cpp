//===- ForwardedLoads.cpp - loads of what was just stored -----------------===//

#include "passes/access/ForwardedLoads.h"
#include "passes/ir/AnalysisManagers.h"
#include "passes/ir/FunctionCopies.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Scalar/LoopLoadElimination.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

namespace ergon {

/// Whether \p L stores what one of its loads reads in the next iteration.
static bool hasCandidate(const llvm::Loop &L, llvm::ScalarEvolution &SE) {
  SmallVector<const llvm::SCEV *, 4> Stored;
  for (const BasicBlock *B : L.blocks())
    for (const Instruction &I : *B)
      if (auto *Store = dyn_cast<llvm::StoreInst>(&I); Store && Store->isSimple())
        Stored.push_back(SE.getSCEV(const_cast<llvm::Value *>(Store->getPointerOperand())));
  auto IsStoredBefore = [&](const Instruction &I) {
    auto *Load = dyn_cast<llvm::LoadInst>(&I);
    auto *Address = Load && Load->isSimple()
                        ? dyn_cast<llvm::SCEVAddRecExpr>(
                              SE.getSCEV(const_cast<llvm::Value *>(Load->getPointerOperand())))
                        : nullptr;
    return Address && Address->getLoop() == &L && llvm::any_of(Stored, [&](const llvm::SCEV *To) {
             return SE.getMinusSCEV(To, Address) == Address->getStepRecurrence(SE);
           });
  };
  return !Stored.empty() && llvm::any_of(L.blocks(), [&](const BasicBlock *B) {
    return llvm::any_of(*B, IsStoredBefore);
  });
}

/// A block that runs once each time that \p L does: before it or, where control comes from a
/// branch, after it. Null where there is none.
static const BasicBlock *onceAround(const llvm::Loop &L) {
  if (const BasicBlock *Before = L.getLoopPreheader())
    return Before;
  const BasicBlock *After = L.getUniqueExitBlock();
  return After && L.hasDedicatedExits() ? After : nullptr;
}

/// The loads of \p F, in order.
template <typename Pointer> static SmallVector<Pointer> loadsOf(llvm::Function &F) {
  SmallVector<Pointer> Result;
  for (Instruction &I : llvm::instructions(F))
    if (isa<llvm::LoadInst>(I))
      Result.emplace_back(&I);
  return Result;
}

static std::size_t numLoops(const llvm::LoopInfo &LI) { return LI.getLoopsInPreorder().size(); }

ForwardedLoads::ForwardedLoads(AnalysisContext &Context) {
  if (Context.Snapshot != "algorithm" ||
      llvm::none_of(Context.LI.getLoopsInPreorder(), [&](const llvm::Loop *L) {
        return L->isInnermost() && onceAround(*L) && hasCandidate(*L, Context.SE);
      }))
    return;
  const std::unique_ptr<llvm::Module> Copied = copyFunctions(
      *Context.F.getParent(), [&](const llvm::Function &F) { return &F == &Context.F; });
  llvm::Function &Copy = *Copied->getFunction(Context.F.getName());
  const auto Loads = loadsOf<Instruction *>(Context.F);
  const auto Left = loadsOf<llvm::WeakVH>(Copy);
  AnalysisManagers Managers;
  auto NumLoops = [&] { return numLoops(Managers.FAM.getResult<llvm::LoopAnalysis>(Copy)); };
  Managers.FAM.invalidate(Copy, llvm::LoopSimplifyPass().run(Copy, Managers.FAM));
  const std::size_t Before = NumLoops();
  Managers.FAM.invalidate(Copy, llvm::LoopLoadEliminationPass().run(Copy, Managers.FAM));
  if (NumLoops() > Before)
    Context.Names.assume({}, "arrays do not overlap where a loop that reads what its previous "
                             "iteration stored checks that they do not");
  for (const auto &[Load, Kept] : llvm::zip_equal(Loads, Left)) {
    if (Kept && (!Kept->use_empty() || Load->use_empty()))
      continue;
    const llvm::Loop *Around = Context.LI.getLoopFor(Load->getParent());
    const BasicBlock *Once = Around ? onceAround(*Around) : nullptr;
    if (!Once)
      continue;
    All.insert(Load);
    Instead[Once].push_back(Load);
  }
}

ArrayRef<const Instruction *> ForwardedLoads::doneIn(const BasicBlock &B) const {
  auto Found = Instead.find(&B);
  return Found == Instead.end() ? ArrayRef<const Instruction *>() : Found->second;
}

} // namespace ergon
