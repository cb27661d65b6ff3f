//===- OverlapChecks.cpp - run-time checks before vector loops ------------===//

#include "passes/incore/OverlapChecks.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

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

/// Whether \p V, or what it was extended from or to, is a factor of products, as strides are.
static bool isFactor(const llvm::Value &V) {
  auto IsMultiplied = [](const llvm::Value &Factor) {
    return llvm::any_of(Factor.users(), [](const llvm::User *User) {
      if (isa<llvm::CastInst>(User))
        return llvm::any_of(User->users(), [](const llvm::User *Wide) {
          return isa<llvm::MulOperator>(Wide) || isa<llvm::ShlOperator>(Wide);
        });
      return isa<llvm::MulOperator>(User) || isa<llvm::ShlOperator>(User);
    });
  };
  auto *Cast = dyn_cast<llvm::CastInst>(&V);
  return IsMultiplied(V) || (Cast && IsMultiplied(*Cast->getOperand(0)));
}

/// The check that \p Compare makes, of one loop where it is of addresses.
static std::optional<OverlapCheck> checkOf(const llvm::ICmpInst &Compare) {
  if (Compare.isEquality() &&
      llvm::PatternMatch::match(Compare.getOperand(1), llvm::PatternMatch::m_One()) &&
      isFactor(*Compare.getOperand(0)))
    return OverlapCheck{.UnitStride = true};
  if (!Compare.isUnsigned())
    return std::nullopt; // equality of addresses is the source's own
  if (Compare.getOperand(0)->getType()->isPointerTy())
    return OverlapCheck{.Loops = 1};
  for (unsigned Side : {0, 1})
    if (auto *Bytes = dyn_cast<llvm::ConstantInt>(Compare.getOperand(Side));
        Bytes && isDifference(*Compare.getOperand(1 - Side)))
      return OverlapCheck{.ApartBytes = unsigned(Bytes->getLimitedValue(1U << 30U)), .Loops = 1};
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

/// What holds where both do. Whole ranges say more than distances.
static OverlapCheck both(const OverlapCheck &First, const OverlapCheck &Second) {
  OverlapCheck Result{.Loops = std::max(First.Loops, Second.Loops),
                      .UnitStride = First.UnitStride || Second.UnitStride};
  if (First.Loops == 0 || Second.Loops == 0)
    Result.ApartBytes = std::max(First.ApartBytes, Second.ApartBytes);
  else if (First.ApartBytes && Second.ApartBytes)
    Result.ApartBytes = std::max(First.ApartBytes, Second.ApartBytes);
  return Result;
}

/// The checks in the condition of \p Branch, before the loop whose code is at \p Code.
static std::optional<OverlapCheck> checkIn(const llvm::BranchInst &Branch, const BasicBlock &Code,
                                           const llvm::DominatorTree &DT,
                                           const llvm::LoopInfo &LI) {
  const bool IsOnTrue = DT.dominates(Branch.getSuccessor(0), &Code);
  std::optional<OverlapCheck> Result;
  SmallVector<std::pair<const llvm::Value *, bool>, 8> Work{{Branch.getCondition(), IsOnTrue}};
  llvm::SmallPtrSet<const llvm::Value *, 16> Seen;
  static constexpr unsigned MaxVisited = 64;
  while (!Work.empty() && Seen.size() < MaxVisited) {
    const auto [Condition, IsWanted] = Work.pop_back_val();
    auto *I = dyn_cast<Instruction>(Condition);
    if (!I || !Seen.insert(I).second)
      continue;
    if (auto *Compare = dyn_cast<llvm::ICmpInst>(I)) {
      auto Check = checkOf(*Compare);
      // Trip counts of 1, and the source's own conditions, lead around it where strides lead to it.
      if (!Check ||
          (Check->UnitStride && IsWanted != (Compare->getPredicate() == llvm::CmpInst::ICMP_EQ)))
        continue;
      if (Check->Loops)
        Check->Loops += loopsBetween(Code, *Compare->getParent(), LI);
      Result = Result ? both(*Result, *Check) : Check;
    } else if (isa<llvm::BinaryOperator, llvm::SelectInst, llvm::FreezeInst>(I)) {
      const bool IsNot =
          llvm::PatternMatch::match(I, llvm::PatternMatch::m_Not(llvm::PatternMatch::m_Value()));
      for (const llvm::Use &Part : I->operands())
        Work.emplace_back(Part.get(), IsWanted != IsNot);
    }
  }
  return Result;
}

std::optional<OverlapCheck> overlapCheckOf(const BasicBlock &Code, const llvm::DominatorTree &DT,
                                           const llvm::LoopInfo &LI) {
  // Checks of trip counts and of overflows stand between.
  static constexpr unsigned MaxBlocks = 8;
  std::optional<OverlapCheck> Result;
  const llvm::DomTreeNode *Node = DT.getNode(&Code);
  for (unsigned Blocks = 0; Node && Blocks != MaxBlocks; Node = Node->getIDom(), ++Blocks)
    if (auto *Branch = dyn_cast<llvm::BranchInst>(Node->getBlock()->getTerminator());
        Branch && Branch->isConditional() && Node->getBlock() != &Code)
      if (auto Check = checkIn(*Branch, Code, DT, LI))
        Result = Result ? both(*Result, *Check) : Check;
  return Result;
}

} // namespace ergon
