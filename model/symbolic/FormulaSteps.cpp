//===- FormulaSteps.cpp - formulas in 64-bit integers ---------------------===//

#include "model/symbolic/FormulaSteps.h"

#include <algorithm>

namespace ergon {

std::int64_t wordQuotient(std::int64_t A, std::int64_t B) {
  if (B == 0)
    return 0;
  if (B == -1)
    return wordProduct(A, -1);
  return floorQuotient(A, B);
}

std::int64_t wordPower(std::int64_t Base, std::int64_t Exponent) {
  if (Exponent < 0)
    return 0;
  std::int64_t Result = 1;
  for (; Exponent != 0; Exponent >>= 1) {
    if (Exponent & 1)
      Result = wordProduct(Result, Base);
    Base = wordProduct(Base, Base);
  }
  return Result;
}

std::int64_t wordLogarithm(std::int64_t Base, std::int64_t Value) {
  std::int64_t Result = -1;
  for (; Value >= 1 && Base >= 2; Value /= Base)
    ++Result;
  return Result;
}

namespace {
class StepCompiler {
public:
  StepCompiler(FormulaSteps &Result, std::span<const std::string> Variables)
      : Result(Result), Variables(Variables) {}

  bool emitExpr(const Expr &E) {
    const Rational Denominator = commonDenominator(E);
    bool First = true;
    for (const Term &T : E.terms()) {
      const Rational Coefficient = T.Coefficient * Denominator;
      bool IsOne = Coefficient == 1 && !T.Factors.empty();
      if (!IsOne && !emitNumber(Coefficient))
        return false;
      bool IsFirstFactor = IsOne;
      for (const auto &[Factor, Power] : T.Factors)
        for (unsigned I = 0; I != Power; ++I) {
          if (!emitAtom(*Factor))
            return false;
          if (!IsFirstFactor)
            emitBinary(Op::Multiply);
          IsFirstFactor = false;
        }
      if (!First)
        emitBinary(Op::Add);
      First = false;
    }
    if (First)
      return emitNumber(0);
    if (Denominator == 1)
      return true;
    if (!emitNumber(Denominator))
      return false;
    emitBinary(Op::FloorDiv);
    return true;
  }

private:
  using Op = FormulaSteps::Op;

  FormulaSteps &Result;
  std::span<const std::string> Variables;
  unsigned StackDepth = 0;

  void emitPush(Op Operation, std::int64_t Operand) {
    Result.Steps.push_back({Operation, Operand});
    Result.Depth = std::max(Result.Depth, ++StackDepth);
  }
  void emitBinary(Op Operation) {
    Result.Steps.push_back({Operation});
    --StackDepth;
  }
  bool emitNumber(const Rational &Value) {
    const auto Word = Value.asWord();
    if (Word)
      emitPush(Op::Number, *Word);
    return Word.has_value();
  }

  bool emitSymbol(const std::string &Name) {
    auto Found = std::ranges::find(Variables, Name);
    if (Found == Variables.end())
      return false;
    emitPush(Op::Variable, Found - Variables.begin());
    return true;
  }

  bool emitAtom(const Atom &A) {
    if (A.What == Atom::Kind::Symbol)
      return emitSymbol(A.Name);
    if (A.What == Atom::Kind::Sum)
      return false;
    for (std::size_t I = 0; I != A.Operands.size(); ++I) {
      if (!emitExpr(A.Operands[I]))
        return false;
      if (I != 0)
        emitBinary(opOf(A.What));
    }
    if (A.What == Atom::Kind::Indicator)
      Result.Steps.push_back({Op::Indicator});
    return true;
  }

  static Op opOf(Atom::Kind Kind) {
    switch (Kind) {
    case Atom::Kind::Max:
      return Op::Max;
    case Atom::Kind::Min:
      return Op::Min;
    case Atom::Kind::Power:
      return Op::Power;
    case Atom::Kind::Log:
      return Op::Log;
    default:
      return Op::FloorDiv;
    }
  }
};
} // namespace

std::optional<FormulaSteps> FormulaSteps::compile(const Expr &E,
                                                  std::span<const std::string> Variables) {
  FormulaSteps Result;
  if (!StepCompiler(Result, Variables).emitExpr(E))
    return std::nullopt;
  return Result;
}

} // namespace ergon
