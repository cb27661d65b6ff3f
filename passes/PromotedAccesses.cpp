//===- PromotedAccesses.cpp - accesses that SROA takes away ----------------===//

#include "passes/PromotedAccesses.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace ergon {

static constexpr llvm::StringLiteral LoadMark = "ergon.promoted.load",
                                     StoreMark = "ergon.promoted.store";

/// True for a load or store of a local variable.
static bool isLocalAccess(const llvm::Instruction &I) {
  const llvm::Value *Pointer = llvm::getLoadStorePointerOperand(&I);
  return Pointer && llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(Pointer));
}

llvm::PreservedAnalyses MarkLocalAccesses::run(llvm::Function &F, llvm::FunctionAnalysisManager &) {
  llvm::SmallVector<llvm::Instruction *> Accesses;
  for (llvm::Instruction &I : llvm::instructions(F))
    if (isLocalAccess(I))
      Accesses.push_back(&I);
  llvm::IRBuilder<> Builder(F.getContext());
  for (llvm::Instruction *Each : Accesses) {
    Builder.SetInsertPoint(Each);
    llvm::FunctionCallee Mark =
        F.getParent()->getOrInsertFunction(llvm::isa<llvm::LoadInst>(Each) ? LoadMark : StoreMark,
                                           Builder.getVoidTy(), Builder.getInt64Ty());
    auto &Callee = llvm::cast<llvm::Function>(*Mark.getCallee());
    Callee.setDoesNotAccessMemory();
    Callee.setDoesNotThrow();
    Callee.setWillReturn();
    llvm::TypeSize Bytes = F.getDataLayout().getTypeStoreSize(llvm::getLoadStoreType(Each));
    Builder.CreateCall(Mark, Builder.getInt64(Bytes.getKnownMinValue()));
  }
  return llvm::PreservedAnalyses::allInSet<llvm::CFGAnalyses>();
}

llvm::PreservedAnalyses DropUnusedMarks::run(llvm::Function &F, llvm::FunctionAnalysisManager &) {
  for (llvm::Instruction &I : llvm::make_early_inc_range(llvm::instructions(F)))
    if (auto *Site = llvm::dyn_cast<llvm::CallBase>(&I))
      if (promotedAccess(*Site) && isLocalAccess(*Site->getNextNode()))
        Site->eraseFromParent();
  return llvm::PreservedAnalyses::allInSet<llvm::CFGAnalyses>();
}

std::optional<PromotedAccess> promotedAccess(const llvm::CallBase &Site) {
  const llvm::Function *Callee = Site.getCalledFunction();
  if (!Callee || !Callee->isDeclaration())
    return std::nullopt;
  bool Loads = Callee->getName() == LoadMark;
  if (!Loads && Callee->getName() != StoreMark)
    return std::nullopt;
  long Bytes = long(llvm::cast<llvm::ConstantInt>(Site.getArgOperand(0))->getZExtValue());
  return PromotedAccess{Loads ? Bytes : 0, Loads ? 0 : Bytes};
}

} // namespace ergon
