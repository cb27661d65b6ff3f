//===- LoopBounds.cpp - lower bounds of formulas --------------------------===//

#include "model/symbolic/LoopBounds.h"

#include <algorithm>

namespace ergon {

/// The lower bound of a linear sum; nothing where it is not linear, or a symbol has no bounds.
static std::optional<Rational> lowestSum(const Expr &Value, const SymbolBounds &Bounds) {
  Rational Sum;
  for (const Term &T : Value.terms()) {
    if (T.Factors.empty()) {
      Sum += T.Coefficient;
      continue;
    }
    const Atom *Only = onlyFactor(T);
    auto Found = Only && Only->What == Atom::Kind::Symbol ? Bounds.find(Only->Name) : Bounds.end();
    if (Found == Bounds.end())
      return std::nullopt;
    Sum += T.Coefficient * (T.Coefficient > 0 ? Found->second.Low : Found->second.High);
  }
  return Sum;
}

std::optional<Rational> lowestOf(const Expr &Value, const SymbolBounds &Bounds) {
  for (const Term &T : Value.terms()) {
    const Atom *Only = onlyFactor(T);
    if (!Only || Only->What == Atom::Kind::Symbol)
      continue;
    const Expr Factor(T.Coefficient);
    const Expr Rest = Value - Factor * Expr(T.Factors.front().first);
    if (Only->What == Atom::Kind::FloorDiv) {
      auto Divisor = Only->Operands[1].constant();
      if (!Divisor || *Divisor <= 0)
        return std::nullopt;
      // A floor is at most the quotient and more than the quotient minus 1.
      Expr Numerator = Only->Operands[0];
      if (T.Coefficient > 0)
        Numerator -= Expr(*Divisor) - 1;
      return lowestOf(Rest + Factor * Expr(Rational(1) / *Divisor) * Numerator, Bounds);
    }
    if (Only->What != Atom::Kind::Min && Only->What != Atom::Kind::Max)
      return std::nullopt;
    const bool IsLeast = (Only->What == Atom::Kind::Min) == (T.Coefficient > 0);
    std::optional<Rational> Result;
    for (const Expr &Operand : Only->Operands) {
      auto R = lowestOf(Rest + Factor * Operand, Bounds);
      if (!R && IsLeast)
        return std::nullopt;
      if (R && (!Result || (IsLeast ? *R < *Result : *R > *Result)))
        Result = R;
    }
    return Result;
  }
  return lowestSum(Value, Bounds);
}

Expr dropOperands(const Expr &Value, const SymbolBounds &Bounds) {
  Expr Result;
  for (const Term &T : Value.terms()) {
    const Atom *Only = onlyFactor(T);
    if (!Only || (Only->What != Atom::Kind::Min && Only->What != Atom::Kind::Max)) {
      Result += Expr::fromTerms({T});
      continue;
    }
    const bool IsMin = Only->What == Atom::Kind::Min;
    std::vector<Expr> Left;
    for (const Expr &Operand : Only->Operands)
      Left.push_back(dropOperands(Operand, Bounds));
    auto isBeaten = [&](const Expr &E) {
      return std::ranges::any_of(Left, [&](const Expr &Other) {
        if (&E == &Other)
          return false;
        auto Way = lowestOf(IsMin ? E - Other : Other - E, Bounds);
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
    Result += Expr(T.Coefficient) * Joined;
  }
  return Result;
}

} // namespace ergon
