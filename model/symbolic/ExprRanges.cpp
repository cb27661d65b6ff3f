//===- ExprRanges.cpp - ranges where conditions hold ----------------------===//

#include "model/symbolic/ExprRanges.h"

#include <algorithm>

namespace ergon {

/// The limit that [a·r^v + b >= 0] sets for v >= 0. It needs logarithms of values below 1 to be -1.
static std::optional<Cut> cutOfPower(const Expr &Value, const std::string &Variable) {
  auto Parts = powerIn(Value, Variable);
  if (!Parts)
    return std::nullopt;
  if (auto Ratio = lowerBound(Parts->Ratio); !Ratio || *Ratio < 1)
    return std::nullopt; // decreasing
  if (auto Bound = lowerBound(-Parts->Scale); Bound && *Bound > 0)
    return Cut{false, floorLog(Parts->Ratio, floorDiv(Parts->Rest, -Parts->Scale))};
  if (auto Bound = lowerBound(Parts->Scale); Bound && *Bound > 0)
    return Cut{true, floorLog(Parts->Ratio, ceilDiv(-Parts->Rest, Parts->Scale) - 1) + 1};
  return std::nullopt;
}

/// Whether \p Value is at least 1, evidently or wherever all of \p Given hold.
static bool isPositive(const Expr &Value, const Monomial &Given) {
  auto IsAboveZero = [](const Expr &Number) {
    auto Bound = lowerBound(Number);
    return Bound && *Bound > 0;
  };
  return IsAboveZero(Value) || std::ranges::any_of(Given, [&](const auto &Factor) {
           return Factor.first->What == Atom::Kind::Indicator &&
                  IsAboveZero(Value - Factor.first->Operands[0]);
         });
}

std::optional<Cut> cutOf(const Expr &Value, const std::string &Variable, const Expr &First,
                         const Monomial &Given) {
  if (auto Start = lowerBound(First); Start && *Start >= 0)
    if (auto Found = cutOfPower(Value, Variable))
      return Found;
  auto Coefficients = Value.coefficientsOf(Variable);
  if (!Coefficients || Coefficients->size() != 2)
    return std::nullopt;
  const Expr &B = (*Coefficients)[0], &A = (*Coefficients)[1];
  if (isPositive(A, Given))
    return Cut{true, ceilDiv(-B, A)};
  if (isPositive(-A, Given))
    return Cut{false, floorDiv(B, -A)};
  return std::nullopt;
}

std::optional<Expr> lastWhere(const Expr &Value, const std::string &Variable) {
  if (auto Found = cutOf(Value, Variable, 0))
    return Found->IsLower ? std::nullopt : std::optional(Found->Bound);
  // Extrema and floor divisions become conditions that are linear.
  const Expr Condition = isNonNegative(Value);
  if (Condition.terms().size() != 1 || Condition.terms()[0].Coefficient != 1)
    return std::nullopt;
  std::optional<Expr> Result;
  for (const auto &[Factor, Power] : Condition.terms()[0].Factors) {
    if (Factor->What != Atom::Kind::Indicator)
      return std::nullopt;
    auto Found = cutOf(Factor->Operands[0], Variable, 0);
    if (!Found || Found->IsLower)
      return std::nullopt;
    Result = Result ? min(*Result, Found->Bound) : Found->Bound;
  }
  return Result;
}

std::optional<Occurrence> firstOf(const Occurrence &O, const Occurrence &Other) {
  // Each condition that may never hold triples the terms.
  static constexpr std::size_t MaxSize = 80;
  for (const Occurrence *Element : {&O, &Other})
    if (Element->Index.size() + Element->Happens.size() > MaxSize)
      return std::nullopt;
  const Expr &A = O.Happens, &B = Other.Happens;
  return Occurrence{A * B * min(O.Index, Other.Index) + A * (Expr(1) - B) * O.Index +
                        (Expr(1) - A) * B * Other.Index,
                    A + B - A * B};
}

/// The first value at which all of \p Factors, which are indicators, are 1.
static std::optional<Occurrence> firstOfAll(const Monomial &Factors, const std::string &Variable) {
  Occurrence Result{Expr(0), Expr(1)};
  std::vector<Expr> Uppers;
  for (const auto &[Factor, Power] : Factors) {
    if (Factor->What != Atom::Kind::Indicator)
      return std::nullopt;
    if (!dependsOn(*Factor, Variable)) {
      Result.Happens *= Expr(Factor);
      continue;
    }
    auto Found = cutOf(Factor->Operands[0], Variable, 0, Factors);
    if (!Found)
      return std::nullopt;
    if (Found->IsLower)
      Result.Index = max(Result.Index, Found->Bound);
    else
      Uppers.push_back(std::move(Found->Bound));
  }
  for (const Expr &Upper : Uppers)
    Result.Happens *= isAtLeast(Upper, Result.Index);
  return Result;
}

/// More alternatives make unreadable formulas.
static constexpr std::size_t MaxWays = 6;

std::optional<Ways> waysOf(const Expr &Condition) {
  const std::span<const Term> Terms = Condition.terms();
  auto IsOne = [](const Term &T) { return T.Coefficient == 1; };
  Ways Result;
  if (std::ranges::all_of(Terms, IsOne)) {
    for (const Term &Element : Terms)
      Result.push_back(Expr::fromTerms({Element}));
    return Result.size() <= MaxWays ? std::optional(Result) : std::nullopt;
  }
  // a - a·b·c is a·(1 - b) or a·(1 - c).
  if (Terms.size() != 2 || !(Terms[0].Coefficient + Terms[1].Coefficient == 0) ||
      abs(Terms[0].Coefficient) != 1)
    return std::nullopt;
  const Term &All = Terms[IsOne(Terms[0]) ? 0 : 1], &But = Terms[IsOne(Terms[0]) ? 1 : 0];
  Expr Common = Expr::fromTerms({All}), E = Common;
  for (const auto &Factor : But.Factors) {
    auto IsSame = [&](const auto &Have) { return compareAtoms(*Have.first, *Factor.first) == 0; };
    if (std::ranges::any_of(All.Factors, IsSame))
      continue;
    E *= Expr(Factor.first);
    if (Expr Way = Common * negated(Expr(Factor.first)); !Way.isZero())
      Result.push_back(std::move(Way));
  }
  bool IsProduct = E == -Expr::fromTerms({But}) && Result.size() <= MaxWays;
  return IsProduct ? std::optional(Result) : std::nullopt;
}

std::optional<Ways> bothOf(const std::optional<Ways> &W, const std::optional<Ways> &Other) {
  if (!W || !Other || W->size() * Other->size() > MaxWays)
    return std::nullopt;
  Ways Result;
  for (const Expr &A : *W)
    for (const Expr &B : *Other)
      if (Expr Way = A * B; !Way.isZero())
        Result.push_back(std::move(Way));
  return Result;
}

std::optional<Ways> eitherOf(std::optional<Ways> W, const std::optional<Ways> &Other) {
  if (!W || !Other || W->size() + Other->size() > MaxWays)
    return std::nullopt;
  for (const Expr &Way : *Other)
    if (std::ranges::find(*W, Way) == W->end())
      W->push_back(Way);
  return W;
}

std::optional<Ways> waysNonNegative(const Expr &Value) {
  for (const Term &T : Value.terms()) {
    const AtomRef *Only =
        T.Factors.size() == 1 && T.Factors[0].second == 1 ? &T.Factors[0].first : nullptr;
    if (!Only || ((*Only)->What != Atom::Kind::Max && (*Only)->What != Atom::Kind::Min))
      continue;
    Expr Rest = Value - Expr::fromTerms({T});
    bool All = ((*Only)->What == Atom::Kind::Min) == (T.Coefficient > 0);
    std::optional<Ways> Result;
    for (const Expr &Operand : (*Only)->Operands) {
      auto Next = waysNonNegative(Operand * Expr(T.Coefficient) + Rest);
      bool IsFirst = &Operand == &(*Only)->Operands.front();
      Result = IsFirst ? Next : All ? bothOf(Result, Next) : eitherOf(Result, Next);
    }
    return Result;
  }
  return waysOf(isNonNegative(Value));
}

std::optional<Occurrence> firstOf(const Ways &Conditions, const std::string &Variable) {
  std::optional<Occurrence> Result = Occurrence{Expr(0), Expr(0)};
  for (const Expr &Condition : Conditions) {
    if (Condition.terms().size() != 1 || Condition.terms()[0].Coefficient != 1)
      return std::nullopt;
    auto Next = firstOfAll(Condition.terms()[0].Factors, Variable);
    bool IsFirst = &Condition == &Conditions.front();
    Result = IsFirst || !Next ? Next : firstOf(*Result, *Next);
    if (!Result)
      return std::nullopt;
  }
  return Result;
}

} // namespace ergon
