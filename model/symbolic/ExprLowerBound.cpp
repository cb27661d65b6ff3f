//===- ExprLowerBound.cpp - lower bounds of expressions -------------------===//

#include "model/symbolic/Expr.h"

#include <algorithm>

namespace ergon {

const Atom *onlyFactor(const Term &T) {
  return T.Factors.size() == 1 && T.Factors[0].second == 1 ? T.Factors[0].first.get() : nullptr;
}

Rational commonDenominator(const Expr &Value) {
  Rational Result = 1;
  for (const Term &T : Value.terms())
    if (!T.Coefficient.isInteger())
      Result = lcm(Result, T.Coefficient.get_den());
  return Result;
}

static std::optional<Rational> lowerBound(const Atom &Factor) {
  switch (Factor.What) {
  case Atom::Kind::Symbol:
    if (isLaunchDimension(Factor.Name))
      return Rational(1);
    return isNeverNegative(Factor.Name) ? std::optional(Rational(0)) : std::nullopt;
  case Atom::Kind::Indicator:
    return Rational(0);
  case Atom::Kind::Max: {
    std::optional<Rational> Best;
    for (const Expr &Operand : Factor.Operands)
      if (auto Bound = lowerBound(Operand); Bound && (!Best || *Bound > *Best))
        Best = Bound;
    return Best;
  }
  case Atom::Kind::Min: {
    std::optional<Rational> Least;
    for (const Expr &Operand : Factor.Operands) {
      auto Bound = lowerBound(Operand);
      if (!Bound)
        return std::nullopt;
      if (!Least || *Bound < *Least)
        Least = Bound;
    }
    return Least;
  }
  case Atom::Kind::FloorDiv: {
    auto Numerator = lowerBound(Factor.Operands[0]), Denominator = lowerBound(Factor.Operands[1]);
    if (Numerator && Denominator && *Numerator >= 0 && *Denominator > 0)
      return Rational(0);
    return std::nullopt;
  }
  case Atom::Kind::Power:
    if (auto Base = lowerBound(Factor.Operands[0]); Base && *Base >= 1) {
      auto Exponent = lowerBound(Factor.Operands[1]);
      return Exponent ? powerOf(*Base, *Exponent) : Rational(1);
    }
    return std::nullopt;
  case Atom::Kind::Log: {
    auto Base = Factor.Operands[0].constant();
    auto Value = lowerBound(Factor.Operands[1]);
    auto Least = Base && Value ? logarithmOf(*Base, *Value) : std::nullopt;
    return Least ? *Least : Rational(-1);
  }
  case Atom::Kind::Sum:
    return std::nullopt;
  }
  return std::nullopt;
}

/// A lower bound of \p Value without floor(p/d) for a number d: p - d + 1 <= d·floor(p/d) <= p.
static Expr boundWithoutFloors(const Expr &Value) {
  Expr Result = Value;
  for (const Term &T : Value.terms()) {
    const Atom *Floor = onlyFactor(T);
    if (!Floor || Floor->What != Atom::Kind::FloorDiv)
      continue;
    auto Divisor = Floor->Operands[1].constant();
    if (!Divisor || *Divisor <= 0)
      continue;
    Expr Numerator = Floor->Operands[0];
    if (T.Coefficient > 0)
      Numerator += Expr(Rational(1 - *Divisor));
    Result -= Expr::fromTerms({T});
    Result += Numerator * Expr(Rational(T.Coefficient / *Divisor));
  }
  return Result;
}

/// A bound by an operand of an extremum: -min(a, b) is at least -a and at least -b.
static std::optional<Rational> boundByOperand(const Expr &Value) {
  for (const Term &T : Value.terms()) {
    const Atom *Factor = onlyFactor(T);
    if (!Factor || Factor->What != (T.Coefficient < 0 ? Atom::Kind::Min : Atom::Kind::Max))
      continue;
    Expr Rest = Value - Expr::fromTerms({T});
    std::optional<Rational> Best;
    for (const Expr &Operand : Factor->Operands)
      if (auto Bound = lowerBound(Rest + Operand * Expr(T.Coefficient));
          Bound && (!Best || *Bound > *Best))
        Best = Bound;
    return Best;
  }
  return std::nullopt;
}

/// The sum of the terms' own lower bounds, of \p Value or of -Value.
static std::optional<Rational> boundByTerms(const Expr &Value, bool IsNegated) {
  Rational Result = 0;
  for (const Term &T : Value.terms()) {
    Rational Product = IsNegated ? -T.Coefficient : T.Coefficient;
    const bool IsPositive = Product > 0;
    if (const Atom *Only = onlyFactor(T); Only && IsPositive) {
      auto Bound = lowerBound(*Only);
      if (!Bound)
        return std::nullopt;
      Result += Product * *Bound;
      continue;
    }
    for (const auto &[Factor, Power] : T.Factors) {
      auto Bound = IsPositive ? lowerBound(*Factor) : std::nullopt;
      if (!Bound || *Bound < 0)
        return std::nullopt;
      for (unsigned I = 0; I != Power; ++I)
        Product *= *Bound;
    }
    Result += Product;
  }
  return Result;
}

/// Whether a term is a multiple of an extremum or of a floor.
static bool hasRoundedTerm(const Expr &Value) {
  return std::ranges::any_of(Value.terms(), [](const Term &T) {
    const Atom *Only = onlyFactor(T);
    return Only && (Only->What == Atom::Kind::Max || Only->What == Atom::Kind::Min ||
                    Only->What == Atom::Kind::FloorDiv);
  });
}

std::optional<Rational> lowerBound(const Expr &Value) {
  if (!hasRoundedTerm(Value))
    return boundByTerms(Value, false);
  if (auto Bound = boundByOperand(Value))
    return Bound;
  if (auto Number = boundWithoutFloors(Value).constant()) {
    // An integer: rounds up.
    if (!Number->isInteger() && commonDenominator(Value) == 1)
      return -floorOf(-*Number);
    return Number;
  }
  return boundByTerms(Value, false);
}

std::optional<Rational> upperBound(const Expr &Value) {
  auto Opposite = hasRoundedTerm(Value) ? lowerBound(-Value) : boundByTerms(Value, true);
  return Opposite ? std::optional(-*Opposite) : std::nullopt;
}

} // namespace ergon
