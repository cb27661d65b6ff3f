//===- LongSumNumbers.cpp - numbers of formulas, with bounded work --------===//

#include "model/evaluation/LongSumNumbers.h"
#include "model/symbolic/ApproximateValue.h"

#include <algorithm>
#include <cmath>

namespace ergon {

LongSumNumbers::Found LongSumNumbers::evaluate(const Expr &Formula, const SymbolValues &Values) {
  const std::uint64_t Steps = std::max(MinSteps, InVain / PartOfLeft);
  auto Value = Formula.evaluate(Values, Steps);
  if (Value)
    return {*Value};
  if (Value.error().Why == EvaluationError::Kind::TooExpensive) {
    static constexpr int Bits = 20; // behind the point: multiples are asked for
    InVain -= std::min(InVain, Steps);
    if (const auto Some = approximateValue(Formula, Values))
      return {Rational::wholePartOf(std::ldexp(Some->Value, Bits)) / twoTo(Bits),
              /*IsSampled=*/true};
  }
  return {std::nullopt, false, std::move(Value.error().What)};
}

LongSumNumbers::Found LongSumNumbers::of(const std::string &Sums, const Expr &Summand,
                                         const std::function<Expr(const Expr &)> &Over,
                                         const SymbolValues &Values) {
  const Rational Factor = Summand.isZero() ? 1 : Summand.terms().front().Coefficient;
  const Expr Each = Factor == 1 ? Summand : Summand * Expr(Rational(1) / Factor);
  if (NumKept == MaxKept) {
    Known.clear();
    NumKept = 0;
  }
  auto [Slot, New] = Known[Sums].try_emplace(Each);
  if (New) {
    ++NumKept;
    Slot->second = evaluate(Over(Each), Values);
  }
  Found Result = Slot->second;
  if (Result.Value)
    *Result.Value *= Factor;
  if (Result.IsSampled)
    Result.Value = Rational::wholePartOf(std::round(Result.Value->get_d()));
  return Result;
}

} // namespace ergon
