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
  StepCompiler(FormulaSteps &Into, std::span<const std::string> Variables)
      : Into(Into), Variables(Variables) {}

  bool add(const Expr &Of) {
    mpz_class Denominator = commonDenominator(Of);
    bool First = true;
    for (const Term &Each : Of.terms()) {
      mpz_class Coefficient = floorOf(Each.Coefficient * Rational(Denominator));
      bool IsOne = Coefficient == 1 && !Each.Factors.empty();
      if (!IsOne && !number(Coefficient))
        return false;
      bool Alone = IsOne;
      for (const auto &[Factor, Power] : Each.Factors)
        for (unsigned I = 0; I != Power; ++I) {
          if (!atom(*Factor))
            return false;
          if (!Alone)
            binary(Op::Multiply);
          Alone = false;
        }
      if (!First)
        binary(Op::Add);
      First = false;
    }
    if (First)
      return number(0);
    if (Denominator == 1)
      return true;
    if (!number(Denominator))
      return false;
    binary(Op::FloorDiv);
    return true;
  }

private:
  using Op = FormulaSteps::Op;

  FormulaSteps &Into;
  std::span<const std::string> Variables;
  unsigned Now = 0;

  void push(Op What, std::int64_t Operand) {
    Into.Steps.push_back({What, Operand});
    Into.Depth = std::max(Into.Depth, ++Now);
  }
  void binary(Op What) {
    Into.Steps.push_back({What});
    --Now;
  }
  bool number(const mpz_class &Value) {
    if (!Value.fits_slong_p())
      return false;
    push(Op::Number, Value.get_si());
    return true;
  }

  bool symbol(const std::string &Name) {
    auto Found = std::ranges::find(Variables, Name);
    if (Found == Variables.end())
      return false;
    push(Op::Variable, Found - Variables.begin());
    return true;
  }

  bool atom(const Atom &Of) {
    if (Of.What == Atom::Kind::Symbol)
      return symbol(Of.Name);
    if (Of.What == Atom::Kind::Sum)
      return false;
    for (std::size_t I = 0; I != Of.Operands.size(); ++I) {
      if (!add(Of.Operands[I]))
        return false;
      if (I != 0)
        binary(opOf(Of.What));
    }
    if (Of.What == Atom::Kind::Indicator)
      Into.Steps.push_back({Op::Indicator});
    return true;
  }

  static Op opOf(Atom::Kind What) {
    switch (What) {
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

std::optional<FormulaSteps> FormulaSteps::compile(const Expr &Of,
                                                  std::span<const std::string> Variables) {
  FormulaSteps Result;
  if (!StepCompiler(Result, Variables).add(Of))
    return std::nullopt;
  return Result;
}

} // namespace ergon
