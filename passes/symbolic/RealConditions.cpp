//===- RealConditions.cpp - integers compared as floating-point numbers ---===//
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

/// The exact value of \p V; nothing where it may be rounded.
std::optional<Expr> ScevToExpr::realNumber(llvm::Value *V, const llvm::Loop *Scope) {
  static constexpr unsigned MaxDepth = 16;
  if (!isFloatOrDouble(V->getType()) || Depth > MaxDepth)
    return std::nullopt;
  if (auto *Constant = dyn_cast<llvm::ConstantFP>(V)) {
    auto Number = exactNumber(Constant->getValueAPF());
    return Number ? std::optional(Expr(*Number)) : std::nullopt;
  }
  llvm::Value *Operand, *Other;
  const llvm::APFloat *Factor;
  std::optional<Expr> Result;
  ++Depth;
  if (match(V, m_UIToFP(m_Value(Operand))) || match(V, m_SIToFP(m_Value(Operand)))) {
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
    if (Right) {
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
  }
  --Depth;
  return Result;
}

/// A power with an integer exponent: `ldexp(1, n)`, which the optimizer makes of `pow(2, n)`.
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
  if (Is("exp2", llvm::Intrinsic::exp2)) {
    Result = Expr(2);
    Exponent = realNumber(Site.getArgOperand(0), Scope);
  } else if (Is("pow", llvm::Intrinsic::pow)) {
    Result = realNumber(Site.getArgOperand(0), Scope);
    Exponent = realNumber(Site.getArgOperand(1), Scope);
  }
  if (!Result || !Exponent || !Result->constant() || !(*Result->constant() > 1) ||
      commonDenominator(*Exponent) != 1)
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
  if (!Above || !Below || Below->isZero())
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

std::optional<Expr> ScevToExpr::compareReal(const llvm::FCmpInst &Compare,
                                            const llvm::Loop *Scope) {
  std::optional<Question> Asks;
  if (!AskedAt)
    Asks.emplace(*this, Compare);
  auto Left = realNumber(Compare.getOperand(0), Scope);
  auto Right = Left ? realNumber(Compare.getOperand(1), Scope) : std::nullopt;
  if (!Right)
    return std::nullopt;
  // None of these is NaN, so ordered and unordered comparisons agree.
  const Expr Scale(commonDenominator(*Left - *Right));
  const Expr Distance = (*Right - *Left) * Scale;
  switch (llvm::CmpInst::getOrderedPredicate(Compare.getPredicate())) {
  case llvm::CmpInst::FCMP_OEQ:
    return isEqual(Distance, Expr());
  case llvm::CmpInst::FCMP_ONE:
    return Expr(1) - isEqual(Distance, Expr());
  case llvm::CmpInst::FCMP_OLT:
    return isAtLeast(Distance, 1);
  case llvm::CmpInst::FCMP_OLE:
    return isNonNegative(Distance);
  case llvm::CmpInst::FCMP_OGT:
    return isAtLeast(-Distance, 1);
  case llvm::CmpInst::FCMP_OGE:
    return isNonNegative(-Distance);
  default:
    return std::nullopt;
  }
}

} // namespace ergon
