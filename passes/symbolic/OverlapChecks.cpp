//===- OverlapChecks.cpp - the vectorizer's overlap checks ----------------===//
//
// Where the vectorizer cannot prove that two pointers lead to different objects, it keeps a scalar
// loop and checks at run time. The algorithm assumes that they do not overlap: the record states
// this assumption, so that it is no unknown.
//
//===----------------------------------------------------------------------===//

#include "passes/symbolic/ScevToExpr.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

namespace ergon {

using namespace llvm::PatternMatch;

static bool hasVectorizedLoop(const llvm::LoopInfo &LI) {
  return llvm::any_of(LI.getLoopsInPreorder(), [](const llvm::Loop *L) {
    return llvm::getBooleanLoopAttribute(L, "llvm.loop.isvectorized");
  });
}

namespace {
/// Two pointers, each with its object's SCEV, of which the first is below the second.
struct Order {
  const llvm::SCEV *Below, *Above;
};
} // namespace

/// `p < q` for pointers into two objects, or, with \p Negated, `p >= q`.
static std::optional<Order> pointerOrder(llvm::Value *Condition, bool Negated,
                                         llvm::ScalarEvolution &SE) {
  auto *Compare = dyn_cast<llvm::ICmpInst>(Condition);
  if (!Compare || !Compare->getOperand(0)->getType()->isPointerTy())
    return std::nullopt;
  llvm::CmpInst::Predicate Predicate =
      Negated ? Compare->getInversePredicate() : Compare->getPredicate();
  if (Predicate != llvm::CmpInst::ICMP_ULT && Predicate != llvm::CmpInst::ICMP_UGT)
    return std::nullopt;
  const llvm::SCEV *Left = SE.getPointerBase(SE.getSCEV(Compare->getOperand(0)));
  const llvm::SCEV *Right = SE.getPointerBase(SE.getSCEV(Compare->getOperand(1)));
  if (Left == Right)
    return std::nullopt;
  if (Predicate == llvm::CmpInst::ICMP_UGT)
    std::swap(Left, Right);
  return Order{Left, Right};
}

/// `q - p < bytes of one vector iteration`, as unsigned numbers, for pointers into
/// two objects.
static bool isShortDistance(llvm::Value *Condition, llvm::ScalarEvolution &SE) {
  auto *Compare = dyn_cast<llvm::ICmpInst>(Condition);
  if (!Compare || Compare->getPredicate() != llvm::CmpInst::ICMP_ULT ||
      !isa<llvm::ConstantInt>(Compare->getOperand(1)) ||
      !SE.isSCEVable(Compare->getOperand(0)->getType()))
    return false;
  const llvm::SCEV *Start = SE.getSCEV(Compare->getOperand(0));
  while (auto *Recurrence = dyn_cast<llvm::SCEVAddRecExpr>(Start)) // of a loop around
    Start = Recurrence->getStart();
  auto *Distance = dyn_cast<llvm::SCEVAddExpr>(Start);
  if (!Distance)
    return false;
  const llvm::SCEV *From = nullptr, *To = nullptr;
  for (const llvm::SCEV *Part : Distance->operands()) {
    const llvm::SCEV **Side = &To;
    if (auto *Product = dyn_cast<llvm::SCEVMulExpr>(Part);
        Product && Product->getOperand(0)->isAllOnesValue() && Product->getNumOperands() == 2) {
      Part = Product->getOperand(1);
      Side = &From;
    }
    auto *Address = dyn_cast<llvm::SCEVPtrToIntExpr>(Part);
    if (!Address)
      continue;
    if (*Side)
      return false;
    *Side = SE.getPointerBase(Address->getOperand());
  }
  return From && To && From != To;
}

/// The value of \p Condition if it is an overlap check and objects do not overlap: 0, or 1 for the
/// negated form.
std::optional<long> ScevToExpr::overlapCheck(llvm::Value *Condition) {
  if (!IsVectorized)
    IsVectorized = hasVectorizedLoop(LI);
  if (!*IsVectorized)
    return std::nullopt;
  if (isShortDistance(Condition, SE))
    return 0;
  llvm::Value *Left, *Right;
  bool IsAnd = match(Condition, m_LogicalAnd(m_Value(Left), m_Value(Right)));
  if (!IsAnd && !match(Condition, m_LogicalOr(m_Value(Left), m_Value(Right))))
    return std::nullopt;
  auto Order = pointerOrder(Left, !IsAnd, SE), Other = pointerOrder(Right, !IsAnd, SE);
  if (!Order || !Other || Order->Below != Other->Above || Order->Above != Other->Below)
    return std::nullopt;
  return IsAnd ? 0 : 1;
}

} // namespace ergon
