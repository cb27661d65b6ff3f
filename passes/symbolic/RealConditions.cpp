//===- RealConditions.cpp - integers compared as floating-point numbers ---===//
//
// `threadIdx.x < blockDim.x / 32.f` compares integers, which a floating-point type represents
// exactly up to its precision, and their products with powers of two.
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
  llvm::Value *Operand;
  const llvm::APFloat *Factor;
  std::optional<Expr> Result;
  ++Depth;
  if (match(V, m_UIToFP(m_Value(Operand))) || match(V, m_SIToFP(m_Value(Operand)))) {
    const unsigned Precision = V->getType()->isFloatTy() ? 24 : 53;
    Result =
        isa<llvm::UIToFPInst>(V) ? unsignedNumber(Operand, Scope) : signedNumber(Operand, Scope);
    const Rational Most = twoTo(Precision);
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
  }
  --Depth;
  return Result;
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
