//===- PromotedAccesses.cpp - accesses removed by SROA --------------------===//

#include "passes/ir/PromotedAccesses.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace ergon {

static constexpr llvm::StringLiteral LoadMark = "ergon.promoted.load",
                                     StoreMark = "ergon.promoted.store";

/// The local variable that \p I loads or stores, or null.
static const llvm::AllocaInst *localOf(const Instruction &I) {
  const llvm::Value *Pointer = llvm::getLoadStorePointerOperand(&I);
  return Pointer ? dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(Pointer)) : nullptr;
}

/// The offset of each local variable in the frame, in code order.
static llvm::DenseMap<const llvm::AllocaInst *, std::uint64_t> frameOf(const llvm::Function &F) {
  llvm::DenseMap<const llvm::AllocaInst *, std::uint64_t> Result;
  std::uint64_t Used = 0;
  for (const Instruction &I : llvm::instructions(F))
    if (auto *Local = dyn_cast<llvm::AllocaInst>(&I)) {
      auto Bytes = Local->getAllocationSize(F.getDataLayout());
      Used = llvm::alignTo(Used, Local->getAlign());
      Result[Local] = Used;
      Used += Bytes ? Bytes->getKnownMinValue() : 0;
    }
  return Result;
}

llvm::PreservedAnalyses MarkLocalAccesses::run(llvm::Function &F, llvm::FunctionAnalysisManager &) {
  SmallVector<std::pair<Instruction *, const llvm::AllocaInst *>> Accesses;
  for (Instruction &I : llvm::instructions(F))
    if (const llvm::AllocaInst *Local = localOf(I))
      Accesses.emplace_back(&I, Local);
  if (Accesses.empty())
    return llvm::PreservedAnalyses::all();
  const auto Frame = frameOf(F);
  llvm::IRBuilder<> Builder(F.getContext());
  auto Mark = [&](StringRef Name) {
    llvm::FunctionCallee Result = F.getParent()->getOrInsertFunction(
        Name, Builder.getVoidTy(), Builder.getInt64Ty(), Builder.getInt64Ty());
    auto &Callee = cast<llvm::Function>(*Result.getCallee());
    Callee.setDoesNotAccessMemory();
    Callee.setDoesNotThrow();
    Callee.setWillReturn();
    return Result;
  };
  const llvm::FunctionCallee Loads = Mark(LoadMark), Stores = Mark(StoreMark);
  for (const auto &[Access, Local] : Accesses) {
    Builder.SetInsertPoint(Access);
    llvm::TypeSize Bytes = F.getDataLayout().getTypeStoreSize(llvm::getLoadStoreType(Access));
    Builder.CreateCall(
        isa<llvm::LoadInst>(Access) ? Loads : Stores,
        {Builder.getInt64(Bytes.getKnownMinValue()), Builder.getInt64(Frame.at(Local))});
  }
  return llvm::PreservedAnalyses::allInSet<llvm::CFGAnalyses>();
}

llvm::PreservedAnalyses DropUnusedMarks::run(llvm::Function &F, llvm::FunctionAnalysisManager &) {
  for (Instruction &I : llvm::make_early_inc_range(llvm::instructions(F)))
    if (auto *Site = dyn_cast<CallBase>(&I))
      if (promotedAccess(*Site) && localOf(*Site->getNextNode()))
        Site->eraseFromParent();
  return llvm::PreservedAnalyses::allInSet<llvm::CFGAnalyses>();
}

void dropMarks(llvm::Module &M) {
  for (llvm::StringRef Name : {LoadMark, StoreMark})
    if (llvm::Function *Mark = M.getFunction(Name)) {
      for (llvm::User *Site : llvm::make_early_inc_range(Mark->users()))
        cast<CallBase>(Site)->eraseFromParent();
      Mark->eraseFromParent();
    }
}

std::optional<PromotedAccess> promotedAccess(const CallBase &Site) {
  const llvm::Function *Callee = Site.getCalledFunction();
  if (!Callee || !Callee->isDeclaration())
    return std::nullopt;
  bool Loads = Callee->getName() == LoadMark;
  if (!Loads && Callee->getName() != StoreMark)
    return std::nullopt;
  auto Number = [&](unsigned Argument) {
    return long(cast<llvm::ConstantInt>(Site.getArgOperand(Argument))->getZExtValue());
  };
  return PromotedAccess{Loads ? Number(0) : 0, Loads ? 0 : Number(0), Number(1)};
}

} // namespace ergon
