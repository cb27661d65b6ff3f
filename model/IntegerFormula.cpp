//===- IntegerFormula.cpp - formulas evaluated many times -----------------===//

#include "model/IntegerFormula.h"

#include <algorithm>
#include <array>

namespace ergon {

static std::optional<std::int64_t> wordOf(const Rational &Value) {
  if (!Value.isInteger() || !Value.get_num().fits_slong_p())
    return std::nullopt;
  return Value.get_num().get_si();
}

/// Arithmetic that wraps: what overflows here no run reaches.
static std::int64_t wrapping(std::uint64_t Value) { return std::int64_t(Value); }

static std::int64_t floorQuotient(std::int64_t Value, std::int64_t By) {
  if (By == 0)
    return 0;
  if (By == -1)
    return wrapping(-std::uint64_t(Value));
  std::int64_t Quotient = Value / By;
  return Quotient - (Value % By != 0 && (Value < 0) != (By < 0));
}

/// A negative exponent, that no run asks for, gives 0.
static std::int64_t powerOf(std::int64_t Base, std::int64_t Exponent) {
  std::uint64_t Result = Exponent >= 0, Square = std::uint64_t(Base);
  for (auto Left = std::uint64_t(Exponent); Exponent > 0 && Left != 0; Left >>= 1) {
    if (Left & 1)
      Result *= Square;
    Square *= Square;
  }
  return wrapping(Result);
}

/// As floorLog has it; a base below 2, that has no logarithm, gives -1.
static std::int64_t logarithmOf(std::int64_t Base, std::int64_t Value) {
  std::int64_t Result = -1;
  if (Base >= 2)
    for (; Value >= 1; Value /= Base)
      ++Result;
  return Result;
}

bool IntegerFormula::append(const Atom &Of, std::span<const std::string> Variables) {
  auto All = [&](Op Join) {
    for (std::size_t I = 0; I != Of.Operands.size(); ++I) {
      if (!append(Of.Operands[I], Variables))
        return false;
      if (I != 0)
        Steps.push_back({Join, 0});
    }
    return true;
  };
  switch (Of.What) {
  case Atom::Kind::Symbol: {
    auto Found = std::ranges::find(Variables, Of.Name);
    Steps.push_back({Op::Variable, Found - Variables.begin()});
    return Found != Variables.end();
  }
  case Atom::Kind::FloorDiv:
    return All(Op::FloorDiv);
  case Atom::Kind::Max:
    return All(Op::Max);
  case Atom::Kind::Min:
    return All(Op::Min);
  case Atom::Kind::Indicator:
    if (!append(Of.Operands[0], Variables))
      return false;
    Steps.push_back({Op::Indicator, 0});
    return true;
  case Atom::Kind::Power:
    return All(Op::Power);
  case Atom::Kind::Log:
    return All(Op::Log);
  case Atom::Kind::Sum:
    return false;
  }
  return false;
}

/// A formula with fractions is the floor of one without, divided by their denominator.
bool IntegerFormula::append(const Expr &Of, std::span<const std::string> Variables) {
  Rational Denominator{commonDenominator(Of)};
  bool IsFirst = true;
  for (const Term &Each : Of.terms()) {
    auto Coefficient = wordOf(Each.Coefficient * Denominator);
    if (!Coefficient)
      return false;
    Steps.push_back({Op::Number, *Coefficient});
    for (const auto &[Factor, Power] : Each.Factors)
      for (unsigned I = 0; I != Power; ++I) {
        if (!append(*Factor, Variables))
          return false;
        Steps.push_back({Op::Multiply, 0});
      }
    if (!IsFirst)
      Steps.push_back({Op::Add, 0});
    IsFirst = false;
  }
  if (IsFirst)
    Steps.push_back({Op::Number, 0});
  auto Divisor = wordOf(Denominator);
  if (Divisor && *Divisor != 1) {
    Steps.push_back({Op::Number, *Divisor});
    Steps.push_back({Op::FloorDiv, 0});
  }
  return Divisor.has_value();
}

static std::optional<AffineForm> affineForm(const Expr &Of,
                                            std::span<const std::string> Variables) {
  AffineForm Result{0, std::vector<std::int64_t>(Variables.size())};
  for (const Term &Each : Of.terms()) {
    auto Coefficient = wordOf(Each.Coefficient);
    if (!Coefficient)
      return std::nullopt;
    if (Each.Factors.empty()) {
      Result.Constant = *Coefficient;
      continue;
    }
    const Atom *Only = onlyFactor(Each);
    if (!Only || Only->What != Atom::Kind::Symbol)
      return std::nullopt;
    auto Found = std::ranges::find(Variables, Only->Name);
    if (Found == Variables.end())
      return std::nullopt;
    Result.Steps[std::size_t(Found - Variables.begin())] = *Coefficient;
  }
  return Result;
}

std::optional<IntegerFormula> IntegerFormula::compile(const Expr &Of,
                                                      std::span<const std::string> Variables) {
  IntegerFormula Result;
  if (!Result.append(Of, Variables))
    return std::nullopt;
  unsigned Height = 0;
  for (const Step &Each : Result.Steps) {
    if (Each.What == Op::Number || Each.What == Op::Variable)
      Result.Depth = std::max(Result.Depth, ++Height);
    else if (Each.What != Op::Indicator)
      --Height;
  }
  if (Result.Depth > MaxDepth)
    return std::nullopt;
  Result.Affine = affineForm(Of, Variables);
  return Result;
}

std::int64_t IntegerFormula::operator()(std::span<const std::int64_t> Values) const {
  if (Affine) {
    auto Sum = std::uint64_t(Affine->Constant);
    for (std::size_t I = 0; I != Affine->Steps.size(); ++I)
      Sum += std::uint64_t(Affine->Steps[I]) * std::uint64_t(Values[I]);
    return wrapping(Sum);
  }
  std::array<std::int64_t, MaxDepth + 1> Stack;
  std::size_t Height = 0;
  for (const Step &Each : Steps) {
    switch (Each.What) {
    case Op::Number:
      Stack[Height++] = Each.Operand;
      continue;
    case Op::Variable:
      Stack[Height++] = Values[std::size_t(Each.Operand)];
      continue;
    case Op::Indicator:
      Stack[Height - 1] = Stack[Height - 1] >= 0;
      continue;
    default:
      break;
    }
    std::int64_t Right = Stack[--Height], &Left = Stack[Height - 1];
    switch (Each.What) {
    case Op::Add:
      Left = wrapping(std::uint64_t(Left) + std::uint64_t(Right));
      break;
    case Op::Multiply:
      Left = wrapping(std::uint64_t(Left) * std::uint64_t(Right));
      break;
    case Op::FloorDiv:
      Left = floorQuotient(Left, Right);
      break;
    case Op::Max:
      Left = std::max(Left, Right);
      break;
    case Op::Power:
      Left = powerOf(Left, Right);
      break;
    case Op::Log:
      Left = logarithmOf(Left, Right);
      break;
    default:
      Left = std::min(Left, Right);
      break;
    }
  }
  return Stack[0];
}

} // namespace ergon
