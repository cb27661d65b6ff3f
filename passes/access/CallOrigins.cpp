//===- CallOrigins.cpp - the call that created an argument ----------------===//

#include "passes/access/CallOrigins.h"

#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace ergon {

const llvm::GlobalValue *calledName(const CallBase &Site) {
  auto *Result = dyn_cast<llvm::GlobalValue>(Site.getCalledOperand()->stripPointerCasts());
  return isa_and_nonnull<llvm::Function, llvm::GlobalAlias, llvm::GlobalIFunc>(Result) ? Result
                                                                                       : nullptr;
}

/// Whether it directly calls a function defined elsewhere, except intrinsics.
static bool isForeign(const CallBase &Site) {
  const llvm::Function *Callee = Site.getCalledFunction();
  return Callee && Callee->isDeclaration() && !Callee->isIntrinsic();
}

/// The call that wrote \p Variable: its result is the one value stored there, or it is the one call
/// that gets its address.
static const CallBase *writerOf(const llvm::AllocaInst &Variable, const llvm::Value *&Stored) {
  const CallBase *Writer = nullptr;
  for (const llvm::User *User : Variable.users()) {
    if (isa<llvm::LoadInst>(User))
      continue;
    if (auto *Mark = dyn_cast<llvm::IntrinsicInst>(User); Mark && Mark->isLifetimeStartOrEnd())
      continue;
    if (Writer || Stored)
      return Stored = nullptr, nullptr;
    if (auto *Store = dyn_cast<llvm::StoreInst>(User);
        Store && Store->getPointerOperand() == &Variable && Store->isSimple())
      Stored = Store->getValueOperand();
    else if (auto *Call = dyn_cast<CallBase>(User); Call && isForeign(*Call))
      Writer = Call;
    else
      return Stored = nullptr, nullptr;
  }
  return Writer;
}

const CallBase *originOf(const llvm::Value &Argument, const CallBase &Site,
                         const llvm::DominatorTree &DT, const llvm::TargetLibraryInfo &TLI) {
  if (!isForeign(Site) || Argument.getType()->isFPOrFPVectorTy())
    return nullptr;
  const llvm::Value *From = Argument.stripPointerCasts();
  const CallBase *Maker = dyn_cast<CallBase>(From);
  if (auto *Load = dyn_cast<llvm::LoadInst>(From))
    if (auto *Variable = dyn_cast<llvm::AllocaInst>(Load->getPointerOperand())) {
      const llvm::Value *Stored = nullptr;
      Maker = writerOf(*Variable, Stored);
      if (Stored)
        Maker = dyn_cast<CallBase>(Stored->stripPointerCasts());
    }
  if (!Maker || !isForeign(*Maker) || llvm::isAllocationFn(Maker, &TLI) ||
      !DT.dominates(Maker, &Site))
    return nullptr;
  return Maker;
}

} // namespace ergon
