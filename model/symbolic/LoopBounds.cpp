//===- LoopBounds.cpp - what a formula is at least ------------------------===//

#include "model/symbolic/LoopBounds.h"

#include <algorithm>

namespace ergon {

/// Of a sum of symbols times numbers; nothing where it is none, or a symbol has no bounds.
static std::optional<Rational> lowestSum(const Expr &Value, const SymbolBounds &Of) {
  Rational Sum;
  for (const Term &Each : Value.terms()) {
    if (Each.Factors.empty()) {
      Sum += Each.Coefficient;
      continue;
    }
    const Atom *Only = onlyFactor(Each);
    auto Found = Only && Only->What == Atom::Kind::Symbol ? Of.find(Only->Name) : Of.end();
    if (Found == Of.end())
      return std::nullopt;
    Sum += Each.Coefficient * (Each.Coefficient > 0 ? Found->second.Low : Found->second.High);
  }
  return Sum;
}

std::optional<Rational> lowestOf(const Expr &Value, const SymbolBounds &Of) {
  for (const Term &Each : Value.terms()) {
    const Atom *Only = onlyFactor(Each);
    if (!Only || Only->What == Atom::Kind::Symbol)
      continue;
    const Expr Factor(Each.Coefficient);
    const Expr Rest = Value - Factor * Expr(Each.Factors.front().first);
    if (Only->What == Atom::Kind::FloorDiv) {
      auto Divisor = Only->Operands[1].constant();
      if (!Divisor || *Divisor <= 0)
        return std::nullopt;
      // A floor is at most the quotient, and less than 1 below it.
      Expr Numerator = Only->Operands[0];
      if (Each.Coefficient > 0)
        Numerator -= Expr(*Divisor) - 1;
      return lowestOf(Rest + Factor * Expr(Rational(1) / *Divisor) * Numerator, Of);
    }
    if (Only->What != Atom::Kind::Min && Only->What != Atom::Kind::Max)
      return std::nullopt;
    const bool IsLeast = (Only->What == Atom::Kind::Min) == (Each.Coefficient > 0);
    std::optional<Rational> Result;
    for (const Expr &Operand : Only->Operands) {
      auto One = lowestOf(Rest + Factor * Operand, Of);
      if (!One && IsLeast)
        return std::nullopt;
      if (One && (!Result || (IsLeast ? *One < *Result : *One > *Result)))
        Result = One;
    }
    return Result;
  }
  return lowestSum(Value, Of);
}

Expr dropOperands(const Expr &Value, const SymbolBounds &Of) {
  Expr Result;
  for (const Term &Each : Value.terms()) {
    const Atom *Only = onlyFactor(Each);
    if (!Only || (Only->What != Atom::Kind::Min && Only->What != Atom::Kind::Max)) {
      Result += Expr::fromTerms({Each});
      continue;
    }
    const bool IsMin = Only->What == Atom::Kind::Min;
    std::vector<Expr> Left;
    for (const Expr &Operand : Only->Operands)
      Left.push_back(dropOperands(Operand, Of));
    auto isBeaten = [&](const Expr &One) {
      return std::ranges::any_of(Left, [&](const Expr &Other) {
        if (&One == &Other)
          return false;
        auto Way = lowestOf(IsMin ? One - Other : Other - One, Of);
        return Way && *Way >= 0;
      });
    };
    for (std::size_t I = 0; I < Left.size() && Left.size() > 1;) {
      if (isBeaten(Left[I]))
        Left.erase(Left.begin() + std::ptrdiff_t(I));
      else
        ++I;
    }
    Expr Joined = Left.front();
    for (std::size_t I = 1; I < Left.size(); ++I)
      Joined = IsMin ? min(Joined, Left[I]) : max(Joined, Left[I]);
    Result += Expr(Each.Coefficient) * Joined;
  }
  return Result;
}

} // namespace ergon
