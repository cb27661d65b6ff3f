//===- ReadParameters.cpp - pointers that are only read -------------------===//

#include "passes/analysis/ReadParameters.h"
#include "passes/ir/FortranNames.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <algorithm>

namespace ergon {

/// Whether the call \p Site only reads what its argument \p Use leads to, perhaps where the
/// function that is added to \p If does.
static bool onlyReads(const CallBase &Site, const llvm::Use &Use, std::vector<PointerTaker> &If) {
  if (Site.isLifetimeStartOrEnd() || isa<llvm::DbgInfoIntrinsic>(Site))
    return true;
  if (auto *Copy = dyn_cast<llvm::MemTransferInst>(&Site))
    return &Use != &Copy->getRawDestUse();
  if (!Site.isArgOperand(&Use))
    return false;
  const unsigned Number = Site.getArgOperandNo(&Use);
  const llvm::Function *Callee = Site.getCalledFunction();
  if (Site.onlyReadsMemory(Number) && Site.doesNotCapture(Number))
    return true;
  if (!Callee || Callee->isIntrinsic() || Number >= Callee->arg_size())
    return false;
  // flang's runtime compares texts without writing them.
  if (Callee->getName().starts_with("_FortranACharacterCompare"))
    return true;
  auto Found = std::ranges::find(If, Callee->getName(), &PointerTaker::Callee);
  if (Found == If.end())
    Found = If.insert(Found, PointerTaker{Callee->getName().str()});
  if (!llvm::is_contained(Found->Arguments, Number))
    Found->Arguments.push_back(Number);
  return true;
}

static bool isRead(const llvm::Argument &Pointer, std::vector<PointerTaker> &If) {
  static constexpr unsigned MaxUses = 300;
  llvm::SmallSetVector<const llvm::Value *, 16> Open;
  Open.insert(&Pointer);
  unsigned Uses = 0;
  for (std::size_t I = 0; I != Open.size(); ++I)
    for (const llvm::Use &Use : Open[I]->uses()) {
      const llvm::User *User = Use.getUser();
      if (++Uses > MaxUses)
        return false;
      if (isa<llvm::GEPOperator, llvm::PHINode, llvm::SelectInst>(User)) {
        Open.insert(User);
        continue;
      }
      auto *Site = dyn_cast<CallBase>(User);
      if (Site ? !onlyReads(*Site, Use, If) : !isa<llvm::LoadInst, llvm::ICmpInst>(User))
        return false;
    }
  return true;
}

std::vector<ReadParameter> readParameters(const llvm::Function &F) {
  std::vector<ReadParameter> Result;
  if (F.onlyReadsMemory() || !isFortran(*F.getParent()))
    return Result;
  for (const llvm::Argument &Argument : F.args())
    if (ReadParameter Next{Argument.getArgNo()};
        Argument.getType()->isPointerTy() && isRead(Argument, Next.If))
      Result.push_back(std::move(Next));
  return Result;
}

} // namespace ergon
