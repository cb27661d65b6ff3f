//===- IntegerFormula.cpp - compiled integer formulas ---------------------===//

#include "model/symbolic/IntegerFormula.h"

#include <algorithm>
#include <array>

namespace ergon {

static std::optional<AffineForm> affineForm(const Expr &E, std::span<const std::string> Variables) {
  AffineForm Result{0, std::vector<std::int64_t>(Variables.size())};
  for (const Term &T : E.terms()) {
    auto Coefficient = T.Coefficient.asWord();
    if (!Coefficient)
      return std::nullopt;
    if (T.Factors.empty()) {
      Result.Constant = *Coefficient;
      continue;
    }
    const Atom *Only = onlyFactor(T);
    if (!Only || Only->What != Atom::Kind::Symbol)
      return std::nullopt;
    auto Found = std::ranges::find(Variables, Only->Name);
    if (Found == Variables.end())
      return std::nullopt;
    Result.Steps[std::size_t(Found - Variables.begin())] = *Coefficient;
  }
  return Result;
}

namespace {
class QuasiAffineCompiler {
public:
  explicit QuasiAffineCompiler(std::span<const std::string> Variables) : Variables(Variables) {}

  std::optional<QuasiAffineForm> run(const Expr &E) {
    auto Sum = formOf(E);
    if (!Sum)
      return std::nullopt;
    QuasiAffineForm Result{std::move(*Sum), std::move(Quotients)};
    Result.Sum.Steps.resize(Variables.size() + Result.Quotients.size());
    return Result;
  }

private:
  static constexpr std::size_t MaxQuotients = 8;

  std::span<const std::string> Variables;
  std::vector<QuotientForm> Quotients;

  std::optional<AffineForm> formOf(const Expr &E) {
    AffineForm Result{0, std::vector<std::int64_t>(Variables.size())};
    for (const Term &T : E.terms()) {
      const auto Coefficient = T.Coefficient.asWord();
      if (!Coefficient)
        return std::nullopt;
      if (T.Factors.empty()) {
        Result.Constant = *Coefficient;
        continue;
      }
      const auto Place = onlyFactor(T) ? placeOf(*onlyFactor(T)) : std::nullopt;
      if (!Place)
        return std::nullopt;
      Result.Steps.resize(std::max(Result.Steps.size(), *Place + 1));
      Result.Steps[*Place] = *Coefficient;
    }
    return Result;
  }

  /// The number of a variable, or of a quotient after the variables.
  std::optional<std::size_t> placeOf(const Atom &A) {
    if (A.What == Atom::Kind::Symbol) {
      auto Found = std::ranges::find(Variables, A.Name);
      return Found == Variables.end() ? std::nullopt
                                      : std::optional(std::size_t(Found - Variables.begin()));
    }
    const auto Divisor = A.What == Atom::Kind::FloorDiv ? A.Operands[1].constant() : std::nullopt;
    if (!Divisor || Divisor->sign() <= 0)
      return std::nullopt;
    // floor((a / b) / d) is floor(a / (b·d)).
    const Rational Common = commonDenominator(A.Operands[0]);
    const auto Value = (*Divisor * Common).asWord();
    auto Numerator = Value ? formOf(A.Operands[0] * Expr(Common)) : std::nullopt;
    if (!Numerator)
      return std::nullopt;
    while (Numerator->Steps.size() > Variables.size() && Numerator->Steps.back() == 0)
      Numerator->Steps.pop_back();
    QuotientForm Made{std::move(*Numerator), *Value};
    auto Position = std::ranges::find(Quotients, Made);
    const auto Number = std::size_t(Position - Quotients.begin());
    if (Position == Quotients.end() && Quotients.size() == MaxQuotients)
      return std::nullopt;
    if (Position == Quotients.end())
      Quotients.push_back(std::move(Made));
    return Variables.size() + Number;
  }
};
} // namespace

std::optional<IntegerFormula> IntegerFormula::compile(const Expr &E,
                                                      std::span<const std::string> Variables) {
  auto Code = FormulaSteps::compile(E, Variables);
  if (!Code || Code->Depth > MaxDepth)
    return std::nullopt;
  IntegerFormula Result;
  Result.Code = std::move(*Code);
  Result.Affine = affineForm(E, Variables);
  if (Result.Affine)
    Result.QuasiAffine = {*Result.Affine, {}};
  else
    Result.QuasiAffine = QuasiAffineCompiler(Variables).run(E);
  return Result;
}

std::int64_t IntegerFormula::operator()(std::span<const std::int64_t> Values) const {
  if (Affine) {
    std::int64_t Sum = Affine->Constant;
    for (std::size_t I = 0; I != Affine->Steps.size(); ++I)
      Sum = wordSum(Sum, wordProduct(Affine->Steps[I], Values[I]));
    return Sum;
  }
  using Op = FormulaSteps::Op;
  std::array<std::int64_t, MaxDepth + 1> Stack;
  std::size_t Height = 0;
  for (const FormulaSteps::Step &S : Code.Steps) {
    switch (S.What) {
    case Op::Number:
      Stack[Height++] = S.Operand;
      continue;
    case Op::Variable:
      Stack[Height++] = Values[std::size_t(S.Operand)];
      continue;
    case Op::Indicator:
      Stack[Height - 1] = Stack[Height - 1] >= 0;
      continue;
    default:
      break;
    }
    std::int64_t Right = Stack[--Height], &Left = Stack[Height - 1];
    switch (S.What) {
    case Op::Add:
      Left = wordSum(Left, Right);
      break;
    case Op::Multiply:
      Left = wordProduct(Left, Right);
      break;
    case Op::FloorDiv:
      Left = wordQuotient(Left, Right);
      break;
    case Op::Max:
      Left = std::max(Left, Right);
      break;
    case Op::Power:
      Left = wordPower(Left, Right);
      break;
    case Op::Log:
      Left = wordLogarithm(Left, Right);
      break;
    default:
      Left = std::min(Left, Right);
      break;
    }
  }
  return Stack[0];
}

} // namespace ergon
