//===- ConditionToExpr.cpp - conditions and bit operations ----------------===//

#include "passes/ir/AddressSpaces.h"
#include "passes/ir/SourceTypes.h"
#include "passes/symbolic/ScevToExpr.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

namespace ergon {

using namespace llvm::PatternMatch;
using llvm::ICmpInst;

std::optional<Expr> ScevToExpr::condition(llvm::Value *Condition, const llvm::Loop *Scope) {
  if (auto *Constant = dyn_cast<llvm::ConstantInt>(Condition))
    return Expr(Constant->isZero() ? 0 : 1);
  return once({Condition, Scope}, [&] {
    auto Result = conditionUncached(Condition, Scope);
    return Result ? std::optional(fromZeroOn(*Result, Scope)) : Result;
  });
}

std::optional<Expr> ScevToExpr::conditionUncached(llvm::Value *Condition, const llvm::Loop *Scope) {
  std::optional<Expr> Result;
  llvm::Value *L, *R;
  if (auto Overlaps = overlapCheck(Condition)) {
    Names.assume(nearestLocation(*cast<Instruction>(Condition)),
                 "the objects that the loop's pointers lead to do not overlap, so that its vector "
                 "version runs");
    Result = Expr(*Overlaps);
  } else if (auto *Compare = dyn_cast<llvm::ICmpInst>(Condition)) {
    Result = compare(Compare, Scope);
  } else if (auto *Real = dyn_cast<llvm::FCmpInst>(Condition)) {
    Result = compareReal(*Real, Scope);
  } else if (isa<llvm::Argument>(Condition)) {
    if (auto Value = translate(Condition, Scope)) // C's `bool`
      Result = isAtLeast(*Value, 1);
  } else if (match(Condition, m_Not(m_Value(L)))) {
    if (auto Inner = condition(L, Scope))
      Result = negated(*Inner);
  } else if (match(Condition, m_LogicalAnd(m_Value(L), m_Value(R)))) {
    auto Left = condition(L, Scope), Right = condition(R, Scope);
    if (Left && Right)
      Result = *Left * *Right;
  } else if (match(Condition, m_LogicalOr(m_Value(L), m_Value(R)))) {
    auto Left = condition(L, Scope), Right = condition(R, Scope);
    if (Left && Right) // so that a chain of them stays one product
      Result = negated(negated(*Left) * negated(*Right));
  } else if (match(Condition, m_Xor(m_Value(L), m_Value(R)))) {
    auto Left = condition(L, Scope), Right = condition(R, Scope);
    if (Left && Right)
      Result = *Left + *Right - 2 * *Left * *Right;
  } else if (isa<llvm::PHINode>(Condition)) {
    Result = translate(Condition, Scope);
    // A bit that toggles in each iteration wraps around.
    if (Result && isa<llvm::SCEVAddRecExpr>(SE.getSCEVAtScope(Condition, Scope)))
      Result = lowBits(*Result, 1);
  } else if (match(Condition, m_Freeze(m_Value(L))) ||
             (match(Condition, m_Trunc(m_ZExt(m_Value(L)))) && L->getType()->isIntegerTy(1))) {
    Result = condition(L, Scope);
  } else if (match(Condition, m_Trunc(m_Value(L)))) {
    if (auto Value = translate(L, Scope))
      Result = lowBits(*Value, 1);
  }
  return Result;
}

/// \p Condition in \p Scope with loops numbered from zero. This often decides the vectorizer's
/// overlap checks between rows of one object.
Expr ScevToExpr::fromZeroOn(const Expr &Condition, const llvm::Loop *Scope) const {
  Expr Known(1);
  for (const llvm::Loop *Around = Scope; Around; Around = Around->getParentLoop())
    if (Condition.dependsOn(Names.loop(*Around)))
      Known *= isNonNegative(Expr::symbol(Names.loop(*Around)));
  return assuming(Condition, Known);
}

/// Bits of x selected by a power of two p that a loop changes: x & (p - 1) is the remainder of x by
/// p, and the bit of x & p and x ^ p is ⌊x/p⌋ mod 2.
std::optional<Expr> ScevToExpr::visitMask(Instruction *I, const llvm::Loop *Scope) {
  const llvm::DataLayout &Layout = I->getDataLayout();
  const llvm::APInt *Added = nullptr;
  // x | (2^k - 1) is the last number of x's block of 2^k.
  if (llvm::Value *Operand; match(I, m_Or(m_Value(Operand), m_APInt(Added))) && Added->isMask() &&
                            Added->getActiveBits() < 32) {
    auto Value = translate(Operand, Scope);
    Expr Block(1L << Added->getActiveBits());
    return Value ? std::optional(Block * floorDiv(*Value, Block) + Block - 1) : std::nullopt;
  }
  if (!match(I, m_CombineOr(m_And(m_Value(), m_Value()), m_Xor(m_Value(), m_Value()))))
    return std::nullopt;
  for (unsigned Side : {0u, 1u}) {
    llvm::Value *Operand = I->getOperand(1 - Side), *Power = I->getOperand(Side);
    // The bits of p - 1 above those of x do not matter.
    bool IsMask =
        match(Power, m_Add(m_Value(Power), m_APInt(Added))) && I->getOpcode() == Instruction::And &&
        (*Added + 1).countr_zero() >= SE.getUnsignedRangeMax(SE.getSCEV(Operand)).getActiveBits();
    if ((!IsMask && Power != I->getOperand(Side)) || isa<llvm::Constant>(Power))
      continue;
    const bool IsKnown = llvm::isKnownToBeAPowerOfTwo(Power, Layout, /*OrZero=*/true);
    // Kernels make masks of strides: `position & (stride - 1)`.
    const bool IsLikely = IsMask && IsOfAddress && Added->isAllOnes() && isDevice(*I->getModule());
    if (!IsKnown && !IsLikely)
      continue;
    auto Value = translate(Operand, Scope), Modulus = translate(Power, Scope);
    if (!Value || !Modulus)
      return std::nullopt;
    if (!IsKnown)
      Names.assume(nearestLocation(*I), "what a mask is made of is a power of two");
    if (IsMask)
      return *Value - *Modulus * floorDiv(*Value, *Modulus);
    Expr Bit = *Modulus * lowBits(floorDiv(*Value, *Modulus), 1);
    return I->getOpcode() == Instruction::And ? Bit : *Value + *Modulus - 2 * Bit;
  }
  return std::nullopt;
}

/// 1 where no bit of \p V is set.
std::optional<Expr> ScevToExpr::isZero(llvm::Value *V, const llvm::Loop *Scope) {
  llvm::Value *Single, *Other;
  if (match(V, m_Or(m_Value(Single), m_Value(Other)))) {
    auto First = isZero(Single, Scope), Second = isZero(Other, Scope);
    return First && Second ? std::optional(*First * *Second) : std::nullopt;
  }
  auto Value = numberOf(V, Scope);
  if (!Value)
    return std::nullopt;
  return isSame(*Value, {Expr(), Value->Bits, true, true});
}

/// 1 where \p Pointer, one of those that a loop exchanges, is null: all of them are before the
/// loop, or none is.
std::optional<Expr> ScevToExpr::isExchangedNull(const llvm::SCEV *Pointer, const llvm::SCEV *Null) {
  auto *Leaf = dyn_cast<llvm::SCEVUnknown>(Pointer);
  auto *First = Leaf ? dyn_cast<llvm::PHINode>(Leaf->getValue()) : nullptr;
  while (First && First->getNumIncomingValues() == 1) // behind the loop
    First = dyn_cast<llvm::PHINode>(First->getIncomingValue(0));
  const llvm::Loop *L = First ? LI.getLoopFor(First->getParent()) : nullptr;
  const BasicBlock *Before = L ? L->getLoopPredecessor() : nullptr;
  if (!Before || !L->getLoopLatch() || L->getHeader() != First->getParent())
    return std::nullopt;
  llvm::SmallSetVector<const llvm::PHINode *, 4> Exchanged;
  Exchanged.insert(First);
  std::optional<Expr> Result;
  for (unsigned I = 0; I != Exchanged.size(); ++I) {
    llvm::Value *Start = Exchanged[I]->getIncomingValueForBlock(Before);
    auto *Next = dyn_cast<llvm::PHINode>(Exchanged[I]->getIncomingValueForBlock(L->getLoopLatch()));
    if (!Next || Next->getParent() != First->getParent())
      return std::nullopt;
    Exchanged.insert(Next);
    auto Here =
        comparePointers(SE.getSCEV(Start), Null, llvm::CmpInst::ICMP_EQ, L->getParentLoop());
    if (!Here || (Result && *Result != *Here))
      return std::nullopt;
    Result = std::move(Here);
  }
  return Result;
}

std::optional<Expr> ScevToExpr::comparePointers(const llvm::SCEV *Left, const llvm::SCEV *Right,
                                                llvm::CmpInst::Predicate How,
                                                const llvm::Loop *Scope) {
  bool IsEquality = llvm::ICmpInst::isEquality(How);
  auto *Constant = dyn_cast<llvm::SCEVUnknown>(Right);
  if (IsEquality && Constant && isa<llvm::ConstantPointerNull>(Constant->getValue()))
    if (auto Null = isExchangedNull(Left, Right))
      return How == llvm::CmpInst::ICMP_EQ ? *Null : negated(*Null);
  auto From = visit(SE.getSCEVAtScope(Left, Scope), Scope);
  auto To = From ? visit(SE.getSCEVAtScope(Right, Scope), Scope) : std::nullopt;
  if (!To)
    return std::nullopt;
  auto Distance = formula(*To - *From);
  // A pointer that leads to an object on some paths and is null on the others.
  if (auto Object = IsEquality && To->isZero() ? Names.objectAddress(*From) : std::nullopt)
    if (auto Parts = From->coefficientsOf(*Object);
        Parts && Parts->size() == 2 && (*Parts)[0].isZero())
      Distance = (*Parts)[1];
  if (!Distance)
    return std::nullopt;
  if (!IsEquality)
    return isNonNegative(*Distance - (llvm::ICmpInst::isLT(How) ? 1 : 0));
  Expr Equal = isEqual(*Distance, Expr());
  return How == llvm::CmpInst::ICMP_EQ ? Equal : Expr(1) - Equal;
}

/// 1 where all numbers that \p V combines by `or` are below 2^\p Bits, as unsigned ones.
std::optional<Expr> ScevToExpr::areBelow(llvm::Value *V, unsigned Bits, const llvm::Loop *Scope) {
  llvm::Value *Single, *Other;
  if (match(V, m_Or(m_Value(Single), m_Value(Other)))) {
    auto First = areBelow(Single, Bits, Scope);
    auto Second = First ? areBelow(Other, Bits, Scope) : std::nullopt;
    return Second ? std::optional(*First * *Second) : std::nullopt;
  }
  const llvm::SCEV *S = SE.getSCEV(V);
  const unsigned Width = unsigned(SE.getTypeSizeInBits(V->getType()));
  return compareUnsigned(llvm::CmpInst::ICMP_ULT, S,
                         SE.getConstant(llvm::APInt::getOneBitSet(Width, Bits)), Scope);
}

/// The optimizer's combination of comparisons with a power of two, or of signs: x and y are below
/// 2^k where x | y is, and where x | y has none of the bits above.
std::optional<Expr> ScevToExpr::compareJoined(const llvm::ICmpInst &Compare,
                                              const llvm::Loop *Scope) {
  llvm::CmpPredicate How;
  llvm::Value *Joined;
  const llvm::APInt *Number, *Mask;
  if (!match(&Compare, m_ICmp(How, m_Value(Joined), m_APInt(Number))))
    return std::nullopt;
  const unsigned Width = Number->getBitWidth();
  unsigned Bits = Width;
  bool IsBelow = true;
  if (llvm::Value *Operand; ICmpInst::isEquality(How) && Number->isZero() &&
                            match(Joined, m_And(m_Value(Operand), m_APInt(Mask))) &&
                            Mask->isNegatedPowerOf2()) {
    Joined = Operand;
    Bits = Mask->countr_zero();
    IsBelow = How == llvm::CmpInst::ICMP_EQ;
  } else if (!match(Joined, m_Or(m_Value(), m_Value()))) {
    return std::nullopt;
  } else if (How == llvm::CmpInst::ICMP_ULT && Number->isPowerOf2()) {
    Bits = Number->logBase2();
  } else if (How == llvm::CmpInst::ICMP_UGT && Number->isMask()) {
    Bits = Number->getActiveBits();
    IsBelow = false;
  } else if (How == llvm::CmpInst::ICMP_SGT && Number->isAllOnes()) {
    Bits = Width - 1;
  } else if (How == llvm::CmpInst::ICMP_SLT && Number->isZero()) {
    Bits = Width - 1;
    IsBelow = false;
  }
  if (Bits >= Width)
    return std::nullopt;
  auto Result = areBelow(Joined, Bits, Scope);
  return Result && !IsBelow ? std::optional(negated(*Result)) : Result;
}

/// Compares unsigned numbers: less than, at most, or equal.
std::optional<Expr> ScevToExpr::compareUnsigned(llvm::CmpInst::Predicate How,
                                                const llvm::SCEV *LeftScev,
                                                const llvm::SCEV *RightScev,
                                                const llvm::Loop *Scope) {
  auto Left = numberOf(SE.getSCEVAtScope(LeftScev, Scope), Scope);
  auto Right = Left ? numberOf(SE.getSCEVAtScope(RightScev, Scope), Scope) : std::nullopt;
  if (!Right || Names.hasAddress(Left->Value) || Names.hasAddress(Right->Value))
    return std::nullopt;
  if (How == llvm::CmpInst::ICMP_EQ)
    return isSame(*Left, *Right);
  return isBelow(*Left, *Right, How == llvm::CmpInst::ICMP_ULE);
}

std::optional<Expr> ScevToExpr::compare(const llvm::ICmpInst *Compare, const llvm::Loop *Scope) {
  if (!SE.isSCEVable(Compare->getOperand(0)->getType()))
    return std::nullopt;
  std::optional<Question> Asks;
  if (!AskedAt)
    Asks.emplace(*this, *Compare);
  if (auto Joined = compareJoined(*Compare, Scope))
    return Joined;
  // The optimizer's form of a == 0 && b == 0.
  if (Compare->isEquality() && match(Compare->getOperand(1), m_Zero()) &&
      match(Compare->getOperand(0), m_Or(m_Value(), m_Value()))) {
    auto Zero = isZero(Compare->getOperand(0), Scope);
    return Zero && Compare->getPredicate() == llvm::CmpInst::ICMP_NE ? Expr(1) - *Zero : Zero;
  }
  const llvm::SCEV *LeftScev = SE.getSCEV(Compare->getOperand(0));
  const llvm::SCEV *RightScev = SE.getSCEV(Compare->getOperand(1));
  llvm::CmpInst::Predicate Predicate = Compare->getPredicate();
  // Only < and <= remain, and = and !=.
  if (llvm::ICmpInst::isGT(Predicate) || llvm::ICmpInst::isGE(Predicate)) {
    std::swap(LeftScev, RightScev);
    Predicate = llvm::CmpInst::getSwappedPredicate(Predicate);
  }
  if (LeftScev->getType()->isPointerTy())
    return comparePointers(LeftScev, RightScev, Predicate, Scope);
  if (Compare->isUnsigned())
    return compareUnsigned(Predicate, LeftScev, RightScev, Scope);
  if (Compare->isEquality()) {
    // One indicator is enough where the order is known: i != 0 is i >= 1.
    const bool Equal = Predicate == llvm::CmpInst::ICMP_EQ;
    const bool IsAbove = SE.isKnownPredicate(llvm::CmpInst::ICMP_SGE, LeftScev, RightScev);
    if (IsAbove || SE.isKnownPredicate(llvm::CmpInst::ICMP_SLE, LeftScev, RightScev)) {
      auto Left = signedNumber(SE.getSCEVAtScope(LeftScev, Scope), Scope);
      auto Right = signedNumber(SE.getSCEVAtScope(RightScev, Scope), Scope);
      if (!Left || !Right || Names.hasAddress(*Left) || Names.hasAddress(*Right))
        return std::nullopt;
      if (!IsAbove)
        std::swap(Left, Right);
      return Equal ? isAtLeast(*Right, *Left) : isAtLeast(*Left, *Right + 1);
    }
    auto E = compareUnsigned(llvm::CmpInst::ICMP_EQ, LeftScev, RightScev, Scope);
    return E && !Equal ? std::optional(Expr(1) - *E) : E;
  }
  auto Left = signedNumber(SE.getSCEVAtScope(LeftScev, Scope), Scope);
  auto Right = Left ? signedNumber(SE.getSCEVAtScope(RightScev, Scope), Scope) : std::nullopt;
  if (!Right || Names.hasAddress(*Left) || Names.hasAddress(*Right))
    return std::nullopt;
  return llvm::ICmpInst::isLT(Predicate) ? isAtLeast(*Right, *Left + 1) : isAtLeast(*Right, *Left);
}

/// Whether the 64 bits of \p Wide are two numbers: a small structure that a call returns, or one
/// that is copied as a whole.
static bool isTwoNumbers(const llvm::Value &Wide) {
  if (!Wide.getType()->isIntegerTy(64) || !isa<CallBase, llvm::LoadInst, llvm::PHINode>(Wide))
    return false;
  auto *Site = dyn_cast<CallBase>(&Wide);
  const llvm::Function *Callee = Site ? Site->getCalledFunction() : nullptr;
  if (const llvm::DISubprogram *Declared = Callee ? Callee->getSubprogram() : nullptr)
    if (auto Types = Declared->getType()->getTypeArray();
        Types.size() && isa_and_nonnull<llvm::DICompositeType>(stripNames(Types[0])))
      return !isInteger(Types[0]);
  bool HasLower = false, HasUpper = false;
  for (const llvm::User *Use : Wide.users()) {
    auto IsByHalf = [&](unsigned Opcode) {
      auto *Shift = dyn_cast<llvm::BinaryOperator>(Use);
      auto *By = Shift && Shift->getOpcode() == Opcode && Shift->getOperand(0) == &Wide
                     ? dyn_cast<llvm::ConstantInt>(Shift->getOperand(1))
                     : nullptr;
      return By && By->getValue().uge(32);
    };
    HasLower |= (isa<llvm::TruncInst>(Use) && Use->getType()->getIntegerBitWidth() <= 32) ||
                IsByHalf(Instruction::Shl);
    HasUpper |= IsByHalf(Instruction::LShr) || IsByHalf(Instruction::AShr);
  }
  return HasLower && HasUpper;
}

bool ScevToExpr::isOfTwoNumbers(const llvm::SCEV *S) {
  auto *Leaf = dyn_cast<llvm::SCEVUnknown>(S);
  return Leaf && isTwoNumbers(*Leaf->getValue());
}

/// For `x << 32` of two numbers the lower one, times what it is multiplied by.
std::optional<Expr> ScevToExpr::visitLowerField(const llvm::SCEVMulExpr &Shifted) {
  auto *Factor = dyn_cast<llvm::SCEVConstant>(Shifted.getOperand(0));
  if (!Factor || Factor->getAPInt().countr_zero() < 32)
    return std::nullopt;
  llvm::Type *Half = llvm::Type::getInt32Ty(SE.getContext());
  auto Lower = visitField(SE.getTruncateExpr(Shifted.getOperand(1), Half));
  return Lower ? std::optional(Expr(Rational(Factor->getAPInt().getSExtValue())) * *Lower) : Lower;
}

/// The field that a truncation or a shift extracts from an argument, or a copy, of several fields.
std::optional<Expr> ScevToExpr::visitField(const llvm::SCEV *S) {
  auto *Cut = dyn_cast<llvm::SCEVTruncateExpr>(S);
  const llvm::SCEV *Inner = Cut ? Cut->getOperand() : S;
  unsigned Shift = 0;
  if (auto *Division = dyn_cast<llvm::SCEVUDivExpr>(Inner)) {
    auto *Divisor = dyn_cast<llvm::SCEVConstant>(Division->getRHS());
    if (!Divisor || !Divisor->getAPInt().isPowerOf2())
      return std::nullopt;
    Shift = Divisor->getAPInt().logBase2();
    Inner = Division->getLHS();
  }
  auto *Leaf = dyn_cast<llvm::SCEVUnknown>(Inner);
  auto *Argument = Leaf ? dyn_cast<llvm::Argument>(Leaf->getValue()) : nullptr;
  auto *Copied = Leaf ? dyn_cast<llvm::LoadInst>(Leaf->getValue()) : nullptr;
  if (Copied && Inner != S && Shift % 32 == 0 && isTwoNumbers(*Copied))
    if (auto Where = Memory.entryPath(*Copied)) {
      Where->Path.back() += long(Shift / 8);
      return Names.cell(*Where, 4);
    }
  if (!Argument || Inner == S)
    return std::nullopt;
  unsigned All = Argument->getType()->getIntegerBitWidth();
  unsigned Bits = Cut ? unsigned(SE.getTypeSizeInBits(S->getType())) : All - Shift;
  Bits += Bits == 31; // without a known sign
  bool IsHalf = Bits == 32 && Shift % 32 == 0;
  const SourceNames::Content Holds = Names.contentOf(*Argument);
  if (Holds == SourceNames::Content::Number || (Holds == SourceNames::Content::Either && !IsHalf) ||
      Bits % 8 != 0 || Shift % 8 != 0)
    return std::nullopt;
  return Names.cell({Argument, {long(Shift / 8)}}, Bits / 8);
}

} // namespace ergon
