//===- RealConditions.cpp - comparisons of floating-point numbers ---------===//
//
// `alpha == 0` of a number that the caller passes is a condition on its symbol, which is a real
// number: it is compared, negated, chosen and scaled by powers of two, as nothing of that rounds.
//
// `threadIdx.x < blockDim.x / 32.f` compares integers, which a floating-point type represents
// exactly up to its precision, and their products with powers of two. `(int)ceil(n / 100.0)` rounds
// a quotient of two of them: a quotient that is no integer is never rounded to one, as it is
// further from it than the type's precision.
//
//===----------------------------------------------------------------------===//

#include "passes/symbolic/ScevToExpr.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

#include <cmath>

namespace ergon {

using namespace llvm::PatternMatch;

/// Of `float` or `double`, in bits.
static unsigned precisionOf(const llvm::Type &T) { return T.isFloatTy() ? 24 : 53; }

static bool isFloatOrDouble(const llvm::Type *T) { return T->isFloatTy() || T->isDoubleTy(); }

/// The exact value m·2^e of a finite `float` or `double`.
static std::optional<Rational> exactNumber(const llvm::APFloat &Value) {
  if (!Value.isFinite())
    return std::nullopt;
  static constexpr int MantissaBits = 53;
  int Exponent = 0;
  const double Mantissa = std::frexp(Value.convertToDouble(), &Exponent);
  const auto Whole = std::int64_t(std::ldexp(Mantissa, MantissaBits));
  Exponent -= MantissaBits;
  const Rational Power = twoTo(unsigned(std::abs(Exponent)));
  return Exponent < 0 ? Rational(Whole) / Power : Rational(Whole) * Power;
}

static bool isPowerOfTwo(const llvm::APFloat &Value) {
  int Exponent = 0;
  return Value.isFiniteNonZero() && std::abs(std::frexp(Value.convertToDouble(), &Exponent)) == 0.5;
}

static bool isMaximum(const llvm::Value *V) {
  return match(V, m_Intrinsic<llvm::Intrinsic::maxnum>()) ||
         match(V, m_Intrinsic<llvm::Intrinsic::maximum>()) ||
         match(V, m_Intrinsic<llvm::Intrinsic::maximumnum>());
}

static bool isMinimum(const llvm::Value *V) {
  return match(V, m_Intrinsic<llvm::Intrinsic::minnum>()) ||
         match(V, m_Intrinsic<llvm::Intrinsic::minimum>()) ||
         match(V, m_Intrinsic<llvm::Intrinsic::minimumnum>());
}

/// Whether \p Pointer leads to data: into an array that the function steps through, or of which it
/// reads more than a few numbers.
static bool leadsToArray(const llvm::Value &Pointer, const llvm::DataLayout &Layout) {
  static constexpr unsigned MaxUses = 64, MaxBytes = 48;
  SmallVector<const llvm::Value *, 8> Open{&Pointer};
  for (unsigned Uses = 0; !Open.empty();)
    for (const llvm::User *User : Open.pop_back_val()->users()) {
      auto *Step = dyn_cast<llvm::GEPOperator>(User);
      if (++Uses > MaxUses || isa<llvm::PHINode>(User) || (Step && !Step->hasAllConstantIndices()))
        return true;
      llvm::APInt Offset(64, 0);
      if (Step && (!Step->accumulateConstantOffset(Layout, Offset) || Offset.uge(MaxBytes)))
        return true;
      if (Step)
        Open.push_back(Step);
    }
  return false;
}

/// A number that \p Load finds as it was on entry, or as the function has stored it.
std::optional<Expr> ScevToExpr::realInMemory(const llvm::LoadInst &Load, const llvm::Loop *Scope) {
  if (!Load.isSimple())
    return std::nullopt;
  const llvm::DataLayout &Layout = Load.getDataLayout();
  const llvm::Value &From = *Load.getPointerOperand();
  if (auto *Value = dyn_cast_or_null<llvm::ConstantFP>(loadedConstant(Load)))
    return realNumber(Value, Scope);
  const unsigned Bytes = unsigned(Layout.getTypeStoreSize(Load.getType()));
  if (llvm::Value *Stored = Memory.storedValue(From, Bytes, Load);
      Stored && Stored->getType() == Load.getType())
    return realNumber(Stored, Scope);
  auto Where = Memory.entryPath(Load);
  return Where && !leadsToArray(*Where->Base, Layout)
             ? std::optional(Names.cell(*Where, Bytes, /*IsReal=*/true))
             : std::nullopt;
}

/// The exact value of \p V; nothing where it may be rounded.
std::optional<Expr> ScevToExpr::realNumber(llvm::Value *V, const llvm::Loop *Scope) {
  static constexpr unsigned MaxDepth = 16;
  if (!isFloatOrDouble(V->getType()) || Depth > MaxDepth)
    return std::nullopt;
  if (auto *Constant = dyn_cast<llvm::ConstantFP>(V)) {
    auto Number = exactNumber(Constant->getValueAPF());
    return Number ? std::optional(Expr(*Number)) : std::nullopt;
  }
  if (auto *Argument = dyn_cast<llvm::Argument>(V))
    return Names.parameter(*Argument);
  llvm::Value *Operand, *Other, *Chooser;
  const llvm::APFloat *Factor;
  std::optional<Expr> Result;
  ++Depth;
  if (auto *Load = dyn_cast<llvm::LoadInst>(V)) {
    Result = realInMemory(*Load, Scope);
  } else if (match(V, m_Select(m_Value(Chooser), m_Value(Operand), m_Value(Other)))) {
    auto Chosen = condition(Chooser, Scope);
    auto Then = Chosen ? realNumber(Operand, Scope) : std::nullopt;
    auto Else = Then ? realNumber(Other, Scope) : std::nullopt;
    if (Else)
      Result = *Else + *Chosen * (*Then - *Else);
  } else if (match(V, m_FAbs(m_Value(Operand)))) {
    if ((Result = realNumber(Operand, Scope)))
      Result = max(*Result, -*Result);
  } else if (const bool IsMax = isMaximum(V); IsMax || isMinimum(V)) {
    auto Left = realNumber(cast<CallBase>(V)->getArgOperand(0), Scope);
    auto Right = Left ? realNumber(cast<CallBase>(V)->getArgOperand(1), Scope) : std::nullopt;
    if (Right)
      Result = IsMax ? max(*Left, *Right) : min(*Left, *Right);
  } else if (match(V, m_UIToFP(m_Value(Operand))) || match(V, m_SIToFP(m_Value(Operand)))) {
    Result =
        isa<llvm::UIToFPInst>(V) ? unsignedNumber(Operand, Scope) : signedNumber(Operand, Scope);
    const Rational Most = twoTo(precisionOf(*V->getType()));
    if (Result)
      mustLieIn(*Result, {-Most, Most});
  } else if (match(V, m_FPExt(m_Value(Operand)))) {
    Result = realNumber(Operand, Scope);
  } else if (match(V, m_FNeg(m_Value(Operand)))) {
    if ((Result = realNumber(Operand, Scope)))
      Result = -*Result;
  } else if (match(V, m_c_FMul(m_Value(Operand), m_APFloat(Factor))) && isPowerOfTwo(*Factor)) {
    if ((Result = realNumber(Operand, Scope)))
      *Result *= Expr(*exactNumber(*Factor));
  } else if (match(V, m_FDiv(m_Value(Operand), m_APFloat(Factor))) && isPowerOfTwo(*Factor)) {
    if ((Result = realNumber(Operand, Scope)))
      *Result *= Expr(Rational(1) / *exactNumber(*Factor));
  } else if (match(V, m_FAdd(m_Value(Operand), m_Value(Other))) ||
             match(V, m_FSub(m_Value(Operand), m_Value(Other))) ||
             match(V, m_FMul(m_Value(Operand), m_Value(Other)))) {
    auto Left = realNumber(Operand, Scope);
    auto Right = Left ? realNumber(Other, Scope) : std::nullopt;
    if (Right && !hasReal(*Left) && !hasReal(*Right)) { // else it may be rounded
      const unsigned Opcode = cast<Instruction>(V)->getOpcode();
      Result = Opcode == Instruction::FAdd   ? *Left + *Right
               : Opcode == Instruction::FSub ? *Left - *Right
                                             : *Left * *Right;
      const Rational Most = twoTo(precisionOf(*V->getType()));
      mustLieIn(*Result * Expr(commonDenominator(*Result)), {-Most, Most});
    }
  } else if (match(V, m_Intrinsic<llvm::Intrinsic::floor>(m_Value())) ||
             match(V, m_Intrinsic<llvm::Intrinsic::ceil>(m_Value()))) {
    Result = roundedNumber(V, Scope);
  } else if (auto *Site = dyn_cast<CallBase>(V)) {
    Result = powerOf(*Site, Scope);
    if (!Result)
      Result = visitCall(*Site, Scope);
  } else if (auto *Phi = dyn_cast<llvm::PHINode>(V)) {
    Result = visitJoin(Phi, Scope);
  }
  --Depth;
  return Result;
}

/// A power with an integer exponent, `ldexp(1, n)`, which the optimizer makes of `pow(2, n)`, or
/// the exponent of a constant, `log2(16)`.
std::optional<Expr> ScevToExpr::powerOf(const CallBase &Site, const llvm::Loop *Scope) {
  const llvm::Function *Callee = Site.getCalledFunction();
  if (!Callee)
    return std::nullopt;
  const llvm::Intrinsic::ID Id = Callee->getIntrinsicID();
  auto Is = [&](StringRef Name, llvm::Intrinsic::ID Intrinsic) {
    return Id == Intrinsic ||
           (Callee->isDeclaration() &&
            (Callee->getName() == Name || Callee->getName() == (Name + "f").str()));
  };
  std::optional<Expr> Result, Exponent;
  if (Is("ldexp", llvm::Intrinsic::ldexp)) {
    Result = realNumber(Site.getArgOperand(0), Scope);
    Exponent = signedNumber(Site.getArgOperand(1), Scope);
    if (!Result || !Exponent)
      return std::nullopt;
    return *Result * power(2, *Exponent);
  }
  if (Is("log2", llvm::Intrinsic::log2) || Callee->getName().starts_with("llvm.nvvm.lg2.approx")) {
    auto *Power = dyn_cast<llvm::ConstantFP>(Site.getArgOperand(0));
    if (!Power || Power->isNegative() || !isPowerOfTwo(Power->getValueAPF()))
      return std::nullopt;
    return Expr(llvm::ilogb(Power->getValueAPF()));
  }
  if (Is("exp2", llvm::Intrinsic::exp2)) {
    Result = Expr(2);
    Exponent = realNumber(Site.getArgOperand(0), Scope);
  } else if (Is("pow", llvm::Intrinsic::pow)) {
    Result = realNumber(Site.getArgOperand(0), Scope);
    Exponent = realNumber(Site.getArgOperand(1), Scope);
  }
  if (!Result || !Exponent || !Result->constant() || !(*Result->constant() > 1) ||
      commonDenominator(*Exponent) != 1 || hasReal(*Exponent))
    return std::nullopt;
  const Rational Most = twoTo(precisionOf(*Site.getType()));
  const Expr Whole = power(*Result, *Exponent);
  mustLieIn(Whole, {0, Most});
  return Whole;
}

/// The integer that the conversion of \p V, a floating-point number, leaves.
std::optional<Expr> ScevToExpr::roundedNumber(llvm::Value *V, const llvm::Loop *Scope) {
  llvm::Value *Operand = V, *Dividend, *Divisor;
  const bool IsCeil = match(V, m_Intrinsic<llvm::Intrinsic::ceil>(m_Value(Operand)));
  const bool IsFloor = !IsCeil && match(V, m_Intrinsic<llvm::Intrinsic::floor>(m_Value(Operand)));
  if (match(Operand, m_FPExt(m_Value(Dividend))))
    Operand = Dividend;
  auto Above = realNumber(Operand, Scope);
  std::optional<Expr> Below(1);
  if (!Above && match(Operand, m_FDiv(m_Value(Dividend), m_Value(Divisor)))) {
    Above = realNumber(Dividend, Scope);
    Below = realNumber(Divisor, Scope);
  }
  if (!Above || !Below || Below->isZero() || hasReal(*Above) || hasReal(*Below))
    return std::nullopt;
  const Expr Numerator = *Above * Expr(commonDenominator(*Above) * commonDenominator(*Below)),
             Denominator = *Below * Expr(commonDenominator(*Above) * commonDenominator(*Below));
  if (Denominator == Expr(1))
    return Numerator;
  return IsCeil      ? ceilDiv(Numerator, Denominator)
         : IsFloor   ? floorDiv(Numerator, Denominator)
         : IsTrusted ? floorDiv(Numerator, Denominator)
                     : truncatingDiv(Numerator, Denominator);
}

/// 1 where \p Left compares to \p Right in that way.
std::optional<Expr> ScevToExpr::compareReals(const Expr &Left, const Expr &Right,
                                             llvm::CmpInst::Predicate How) {
  const Expr Scale(commonDenominator(Left - Right));
  const Expr Distance = (Right - Left) * Scale;
  const bool IsWhole = !hasReal(Distance);
  if (!IsWhole && hasLoop(Distance)) // sums are over integers alone
    return std::nullopt;
  auto IsBelow = [&](const Expr &Ahead) {
    return IsWhole ? isAtLeast(Ahead, 1) : Expr(1) - isNonNegative(-Ahead);
  };
  // None of these is NaN, so ordered and unordered comparisons agree.
  switch (llvm::CmpInst::getOrderedPredicate(How)) {
  case llvm::CmpInst::FCMP_OEQ:
    return isEqual(Distance, Expr());
  case llvm::CmpInst::FCMP_ONE:
    return Expr(1) - isEqual(Distance, Expr());
  case llvm::CmpInst::FCMP_OLT:
    return IsBelow(Distance);
  case llvm::CmpInst::FCMP_OLE:
    return isNonNegative(Distance);
  case llvm::CmpInst::FCMP_OGT:
    return IsBelow(-Distance);
  case llvm::CmpInst::FCMP_OGE:
    return isNonNegative(-Distance);
  default:
    return std::nullopt;
  }
}

std::optional<Expr> ScevToExpr::compareReal(const llvm::FCmpInst &Compare,
                                            const llvm::Loop *Scope) {
  std::optional<Question> Asks;
  if (!AskedAt)
    Asks.emplace(*this, Compare);
  // A sum is rounded to zero only where it is zero, and never to the other side of it.
  llvm::Value *First, *Second;
  const bool IsWithZero = match(Compare.getOperand(1), m_AnyZeroFP());
  const bool IsSum = match(Compare.getOperand(0), m_FAdd(m_Value(First), m_Value(Second)));
  if (IsWithZero &&
      (IsSum || match(Compare.getOperand(0), m_FSub(m_Value(First), m_Value(Second))))) {
    auto Sum = realNumber(First, Scope), Other = Sum ? realNumber(Second, Scope) : std::nullopt;
    if (!Other)
      return std::nullopt;
    return compareReals(*Sum, IsSum ? -*Other : *Other, Compare.getPredicate());
  }
  auto Left = realNumber(Compare.getOperand(0), Scope);
  auto Right = Left ? realNumber(Compare.getOperand(1), Scope) : std::nullopt;
  if (!Right)
    return std::nullopt;
  return compareReals(*Left, *Right, Compare.getPredicate());
}

} // namespace ergon
