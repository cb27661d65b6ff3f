//===- MultipliedInduction.cpp - multiplied induction variables -----------===//

#include "passes/symbolic/MultipliedInduction.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

namespace ergon {

using namespace llvm::PatternMatch;

Expr MultipliedInduction::value(const Expr &K, const Expr &Initial) const {
  // x + e with this e is multiplied or divided by the factor, and nothing else:
  // factor·x + a + a/(factor - 1) = factor·(x + a/(factor - 1)), and
  // (x + a)/factor - a/(factor - 1) = (x - a/(factor - 1))/factor.
  Expr Moved{Added / (Factor - 1)};
  Expr Grown = power(Expr(Factor), K);
  return Divides ? floorDiv(Initial - Moved, Grown) + Moved : (Initial + Moved) * Grown - Moved;
}

static Rational integer(const llvm::APInt &Value) {
  llvm::SmallString<40> Digits;
  Value.toStringSigned(Digits);
  return Rational::ofDigits(Digits.str());
}

namespace {
/// floor((Factor·x + Added) / Divisor) for the phi's value x.
struct Step {
  Rational Factor = 1, Added = 0, Divisor = 1;
  /// A division rounds toward zero, which is down unless x + Truncated is negative.
  std::optional<Rational> Truncated;
  bool IsUnsigned = false, IsCut = false; ///< how it is divided; whether it is truncated in between

  bool scale(const Rational &Multiplier);
  bool apply(const Instruction &I);
};
} // namespace

bool Step::scale(const Rational &Multiplier) {
  Factor *= Multiplier;
  Added *= Multiplier;
  return Divisor == 1 && Multiplier >= 1;
}

/// The variable operand of \p I, if the other one is constant.
static const llvm::Value *followed(const Instruction &I) {
  if (isa<llvm::CastInst, llvm::FreezeInst>(I))
    return I.getOperand(0);
  if (!isa<llvm::BinaryOperator>(I))
    return nullptr;
  const llvm::Value *Left = I.getOperand(0), *Right = I.getOperand(1);
  if (isa<llvm::Constant>(Right) || Left == Right)
    return Left;
  return I.isCommutative() && isa<llvm::Constant>(Left) ? Right : nullptr;
}

/// Applies \p I to the followed operand. False where it is too complex.
bool Step::apply(const Instruction &I) {
  if (isa<llvm::CastInst, llvm::FreezeInst>(I)) {
    IsCut |= isa<llvm::TruncInst>(I) && I.getType()->getIntegerBitWidth() < 32;
    return true;
  }
  const llvm::APInt *Number;
  if (I.getOpcode() == Instruction::Add && I.getOperand(0) == I.getOperand(1))
    return scale(2);
  if (match(&I, m_c_Add(m_Value(), m_APInt(Number))) ||
      match(&I, m_DisjointOr(m_Value(), m_APInt(Number)))) {
    Added += integer(*Number) * Divisor;
    return true;
  }
  if (match(&I, m_Sub(m_Value(), m_APInt(Number)))) {
    Added -= integer(*Number) * Divisor;
    return true;
  }
  if (match(&I, m_c_Mul(m_Value(), m_APInt(Number))))
    return scale(integer(*Number));
  Rational Multiplier;
  if (match(&I, m_Shift(m_Value(), m_APInt(Number))) && Number->ult(64))
    Multiplier = twoTo(unsigned(Number->getZExtValue()));
  else if (match(&I, m_IDiv(m_Value(), m_APInt(Number))))
    Multiplier = integer(*Number);
  else
    return false;
  if (I.getOpcode() == Instruction::Shl)
    return scale(Multiplier);
  if (I.getOpcode() == Instruction::SDiv) {
    if (Factor != 1 || Divisor != 1)
      return false;
    Truncated = Added;
  }
  IsUnsigned |= I.getOpcode() == Instruction::LShr || I.getOpcode() == Instruction::UDiv;
  Divisor *= Multiplier;
  return Multiplier >= 1;
}

/// How the loop changes \p Phi from one iteration to the next.
static std::optional<Step> stepOf(const llvm::PHINode &Phi, const llvm::Value *Next) {
  static constexpr unsigned MaxLength = 8;
  SmallVector<const Instruction *, MaxLength> Chain;
  for (const llvm::Value *V = Next; V != &Phi;) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || Chain.size() == MaxLength || !I->getType()->isIntegerTy())
      return std::nullopt;
    Chain.push_back(I);
    V = followed(*I);
    if (!V)
      return std::nullopt;
  }
  Step Result;
  for (const Instruction *I : llvm::reverse(Chain))
    if (!Result.apply(*I))
      return std::nullopt;
  return Result;
}

/// Whether a number of \p Bits bits that \p Factor multiplies overflows within a few iterations.
/// Such a number is meant to wrap around, as that of a random number generator or of a hash is.
static bool wrapsSoon(const Rational &Factor, unsigned Bits) {
  static constexpr unsigned FewIterations = 8;
  return Factor > twoTo(Bits / FewIterations);
}

/// Whether \p L ends where \p Phi, or its next value, is above or below a limit: so that it does
/// not wrap around before.
static bool endsAtLimit(const llvm::PHINode &Phi, const llvm::Value *Next, const llvm::Loop &L) {
  llvm::SmallVector<llvm::BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  return any_of(Exiting, [&](const llvm::BasicBlock *Block) {
    auto *Branch = dyn_cast<llvm::BranchInst>(Block->getTerminator());
    auto *Compare = Branch && Branch->isConditional()
                        ? dyn_cast<llvm::ICmpInst>(Branch->getCondition())
                        : nullptr;
    return Compare && Compare->isRelational() && any_of(Compare->operands(), [&](llvm::Value *V) {
             while (auto *Cast = dyn_cast<llvm::CastInst>(V))
               V = Cast->getOperand(0);
             return V == &Phi || V == Next;
           });
  });
}

/// Whether x + \p Added is never negative where it is divided.
static bool isDividedAboveZero(llvm::PHINode &Phi, llvm::Value *Start, const Rational &Added,
                               const llvm::Loop &L, llvm::ScalarEvolution &SE) {
  auto Least = SE.getConstant(Phi.getType(), uint64_t(-Added.get_si()), true);
  const auto Ge = llvm::CmpInst::ICMP_SGE;
  if (SE.isLoopBackedgeGuardedByCond(&L, Ge, SE.getSCEV(&Phi), Least))
    return true;
  const llvm::SCEV *First = SE.getSCEV(Start);
  return Added == 0 &&
         (SE.isKnownNonNegative(First) || SE.isLoopEntryGuardedByCond(&L, Ge, First, Least));
}

std::optional<MultipliedInduction> multipliedInduction(llvm::PHINode &Phi, const llvm::Loop &L,
                                                       llvm::ScalarEvolution &SE) {
  const BasicBlock *Latch = L.getLoopLatch(), *Before = L.getLoopPredecessor();
  if (Phi.getParent() != L.getHeader() || !Latch || !Before || !Phi.getType()->isIntegerTy())
    return std::nullopt;
  const llvm::Value *Next = Phi.getIncomingValueForBlock(Latch);
  auto Found = stepOf(Phi, Next);
  if (!Found || !Found->Added.asWord() || Found->Divisor == 0)
    return std::nullopt;
  MultipliedInduction Result{Phi.getIncomingValueForBlock(Before), Found->Factor, Found->Added,
                             Found->Divisor != 1, Found->IsUnsigned};
  const unsigned Bits = Phi.getType()->getIntegerBitWidth();
  if (!Result.Divides) {
    bool Grows =
        Found->Factor > 1 && (!wrapsSoon(Found->Factor, Bits) || endsAtLimit(Phi, Next, L));
    return Grows ? std::optional(Result) : std::nullopt;
  }
  Result.Factor = Found->Divisor;
  // (x + a)/c is x'/c for a shifted x', where c - 1 divides a.
  bool Moves = Result.Factor > 1 && (Found->Added / (Result.Factor - 1)).isInteger();
  if (Found->Factor != 1 || !Moves || (Found->IsCut && Bits >= 32) ||
      (Found->Truncated && !isDividedAboveZero(Phi, Result.Start, *Found->Truncated, L, SE)))
    return std::nullopt;
  return Result;
}

} // namespace ergon
