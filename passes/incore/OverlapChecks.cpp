//===- OverlapChecks.cpp - run-time checks before vector loops ------------===//

#include "passes/incore/OverlapChecks.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>

namespace ergon {

/// Whether \p V is a difference of two addresses.
static bool isDifference(const llvm::Value &V, unsigned Depth = 0) {
  static constexpr unsigned MaxDepth = 4;
  auto *I = dyn_cast<Instruction>(&V);
  if (!I || Depth == MaxDepth)
    return false;
  if (I->getOpcode() == Instruction::Sub)
    return llvm::any_of(I->operands(),
                        [](const llvm::Use &Use) {
                          return isa<llvm::PtrToIntInst, llvm::PtrToAddrInst>(Use.get());
                        }) ||
           isDifference(*I->getOperand(0), Depth + 1);
  return isa<llvm::BinaryOperator, llvm::FreezeInst>(I) &&
         llvm::any_of(I->operands(),
                      [&](const llvm::Use &Use) { return isDifference(*Use.get(), Depth + 1); });
}

/// The check that \p Compare makes; Loops is left out.
static std::optional<OverlapCheck> checkOf(const llvm::ICmpInst &Compare) {
  if (!Compare.isUnsigned())
    return std::nullopt; // equality is the source's own
  if (Compare.getOperand(0)->getType()->isPointerTy())
    return OverlapCheck{};
  for (unsigned Side : {0, 1})
    if (auto *Bytes = dyn_cast<llvm::ConstantInt>(Compare.getOperand(Side));
        Bytes && isDifference(*Compare.getOperand(1 - Side)))
      return OverlapCheck{.ApartBytes = unsigned(Bytes->getLimitedValue(1U << 30U))};
  return std::nullopt;
}

/// The loops from \p Inside to one that contains \p Outside.
static unsigned loopsBetween(const BasicBlock &Inside, const BasicBlock &Outside,
                             const llvm::LoopInfo &LI) {
  unsigned Result = 0;
  for (const llvm::Loop *L = LI.getLoopFor(&Inside); L && !L->contains(&Outside);
       L = L->getParentLoop())
    ++Result;
  return Result;
}

/// The strictest check in the condition \p Branch, before the loop whose code is at \p Code.
static std::optional<OverlapCheck> checkIn(const llvm::BranchInst &Branch, const BasicBlock &Code,
                                           const llvm::LoopInfo &LI) {
  std::optional<OverlapCheck> Result;
  SmallVector<const llvm::Value *, 8> Work{Branch.getCondition()};
  llvm::SmallPtrSet<const llvm::Value *, 16> Seen;
  static constexpr unsigned MaxVisited = 64;
  while (!Work.empty() && Seen.size() < MaxVisited) {
    auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !Seen.insert(I).second)
      continue;
    if (auto *Compare = dyn_cast<llvm::ICmpInst>(I)) {
      auto Check = checkOf(*Compare);
      if (!Check)
        continue;
      Check->Loops = 1 + loopsBetween(Code, *Compare->getParent(), LI);
      if (!Result)
        Result = Check;
      // Whole ranges say more than distances.
      Result->ApartBytes = Result->ApartBytes && Check->ApartBytes
                               ? std::max(Result->ApartBytes, Check->ApartBytes)
                               : 0;
      Result->Loops = std::max(Result->Loops, Check->Loops);
    } else if (isa<llvm::BinaryOperator, llvm::SelectInst, llvm::FreezeInst>(I)) {
      Work.append(I->op_begin(), I->op_end());
    }
  }
  return Result;
}

std::optional<OverlapCheck> overlapCheckOf(const BasicBlock &Code, const llvm::DominatorTree &DT,
                                           const llvm::LoopInfo &LI) {
  // Checks of trip counts and of overflows stand between.
  static constexpr unsigned MaxBlocks = 8;
  const llvm::DomTreeNode *Node = DT.getNode(&Code);
  for (unsigned Blocks = 0; Node && Blocks != MaxBlocks; Node = Node->getIDom(), ++Blocks)
    if (auto *Branch = dyn_cast<llvm::BranchInst>(Node->getBlock()->getTerminator());
        Branch && Branch->isConditional() && Node->getBlock() != &Code)
      if (auto Check = checkIn(*Branch, Code, LI))
        return Check;
  return std::nullopt;
}

} // namespace ergon
