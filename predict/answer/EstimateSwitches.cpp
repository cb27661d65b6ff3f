//===- EstimateSwitches.cpp - ranges between the ends of symbols ----------===//

#include "predict/answer/EstimateSwitches.h"
#include "predict/answer/ArgumentCases.h"
#include "predict/answer/EstimateRanges.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace ergon {

/// Limits of a symbol in conditions; whether they are from above, from below, or both.
using Limits = std::map<Rational, unsigned>;

/// Adds the conditions in \p Value: what is not negative where one holds.
static void collectConditions(const Expr &Value, std::map<const Atom *, const Expr *> &Result) {
  for (const Term &T : Value.terms())
    for (const auto &[Factor, Power] : T.Factors) {
      const bool IsCondition = Factor->What == Atom::Kind::Indicator;
      if (IsCondition && !Result.emplace(&*Factor, &Factor->Operands[0]).second)
        continue;
      for (const Expr &Operand : Factor->Operands)
        collectConditions(Operand, Result);
    }
}

SwitchRanges::Numbers SwitchRanges::estimates() const {
  Numbers Result;
  for (const SymbolEstimate &E : Estimates)
    Result.push_back(E.Value);
  return Result;
}

void SwitchRanges::widen(EstimatedCounts &Result, const Counts &Formulas) {
  std::map<const Atom *, const Expr *> Conditions;
  for (const auto &[Class, Amount] : Formulas)
    collectConditions(Amount, Conditions);
  std::map<std::string, Limits> OfSymbols; // where the others are at their estimates
  for (const auto &[Factor, Margin] : Conditions)
    for (const SymbolEstimate &E : Estimates)
      if (Margin->dependsOn(E.What.Symbol)) {
        Substitution Others;
        for (const SymbolEstimate &Other : Estimates)
          if (Other.What.Symbol != E.What.Symbol)
            Others.emplace(Other.What.Symbol, Expr(Other.Value));
        if (auto Found = limitIn(Margin->substitute(Others), E.What.Symbol))
          OfSymbols[E.What.Symbol][Found->Number] |= Found->Side;
      }
  std::size_t Tried = 0, Widened = 0;
  for (std::size_t I = 0; I != Estimates.size(); ++I) {
    const Limits &Found = OfSymbols[Estimates[I].What.Symbol];
    if (Found.size() == 1 && Found.begin()->second != 3) // both ends are on its sides
      continue;
    std::set<Rational> Some;
    for (const auto &[Limit, Sides] : Found)
      for (int Beside : {0, 1, -1})
        Some.insert(Limit + Rational(Beside));
    for (const Rational &Number : Some) {
      if (Number < Estimates[I].Low || Number > Ends[I] || Number == Estimates[I].Value)
        continue;
      if (Tried++ == MaxTried || Widened == MaxSwitches)
        return;
      Numbers At = estimates();
      At[I] = Number;
      if (CountsAt(At).Values == Result.Counted.Counts.Values)
        continue;
      widenAt(Result, I, Number);
      ++Widened;
    }
  }
}

/// By the counts with one symbol at \p Number and the others at the ends of their ranges.
void SwitchRanges::widenAt(EstimatedCounts &Result, std::size_t Switch, const Rational &Number) {
  const double Size = SizeOf(Result.Counted.Counts);
  Numbers At = estimates();
  At[Switch] = Number;
  auto IsOpen = [&](std::size_t I) { return !Estimates[I].High && I != Switch; };
  double Least = SizeOf(*Result.Least), Most = SizeOf(*Result.Most);
  for (const auto &[Class, Ignored] : CountsAt(At).Values) {
    auto Own = Directions.find(Class);
    if (Own == Directions.end())
      continue;
    auto [Low, High] = Own->second;
    Low[Switch] = High[Switch] = Number;
    Numbers Near = High;
    for (std::size_t I = 0; I != Estimates.size(); ++I)
      if (IsOpen(I))
        Near[I] = Estimates[I].Value;
    addRange(Result, Class, CountsAt(Low), CountsAt(High), CountsAt(Near));
    if (const double Smaller = SizeOf(CountsAt(Low)); Smaller < Least) {
      Least = Smaller;
      Result.Least = CountsAt(Low);
    }
    if (const double Larger = SizeOf(CountsAt(High)); Larger > Most) {
      Most = Larger;
      Result.Most = CountsAt(High);
      Result.IsUnbounded |= SizeOf(CountsAt(Near)) < Larger;
    }
  }
  SymbolEstimate &E = Estimates[Switch];
  E.Spread = std::max(E.Spread, std::abs(SizeOf(CountsAt(At)) - Size));
  E.IsMinor &= E.Spread <= Minor * Size;
}

} // namespace ergon
