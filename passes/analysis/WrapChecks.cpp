//===- WrapChecks.cpp - where machine arithmetic wraps around -------------===//

#include "passes/analysis/WrapChecks.h"

#include <algorithm>

namespace ergon {

namespace {
/// A variable that runs from 0 to Last.
struct Running {
  std::string Variable;
  Expr Last;
};
} // namespace

/// The loops in \p R, innermost first: their bounds may depend on outer ones.
static void collectLoops(const Region &R, SourceNames &Names, std::vector<Running> &Result) {
  for (const Region &Inner : R.Loops)
    collectLoops(Inner, Names, Result);
  if (R.Loop)
    Result.push_back({Names.loop(*R.Loop), R.Last});
}

/// The maximum (\p Sign 1) or minimum (-1) of \p Value while \p R runs: for a polynomial term by
/// term, which may overestimate; otherwise at the ends.
static Expr extremeOver(const Expr &Value, const Running &R, int Sign, ScevToExpr &Translate) {
  if (!Value.dependsOn(R.Variable))
    return Value;
  auto Join = Sign > 0 ? static_cast<Expr (*)(const Expr &, const Expr &)>(max) : min;
  const auto LastRange = Translate.rangeOf(R.Last);
  const Expr Last = LastRange && LastRange->Low >= 0 ? R.Last : max(Expr(0), R.Last);
  auto Coefficients = Value.coefficientsOf(R.Variable);
  if (!Coefficients)
    return Join(Value.substitute({{R.Variable, Expr(0)}}), Value.substitute({{R.Variable, Last}}));
  Expr Result = (*Coefficients)[0], Power(1);
  for (std::size_t K = 1; K != Coefficients->size(); ++K) {
    Power *= Last;
    const Expr &Factor = (*Coefficients)[K];
    const auto Range = Translate.rangeOf(Factor);
    const bool IsPositive = Range && Range->Low >= 0, IsNegative = Range && Range->High <= 0;
    if (IsPositive || IsNegative)
      Result += IsPositive == (Sign > 0) ? Factor * Power : Expr();
    else
      Result += Join(Expr(0), Factor) * Power;
  }
  return Result;
}

std::vector<WrapCheck> wrapChecks(AnalysisContext &Context, const Region &Runs) {
  ScevToExpr &Translate = Context.Translate;
  SourceNames &Names = Context.Names;
  static constexpr std::size_t MaxSize = 150; // a longer check is useless
  static constexpr std::size_t MaxWhole =
      600; // an indicator of extrema has a factor for each operand
  if (Translate.rangeChecks().empty())
    return {};
  std::vector<Running> Variables;
  collectLoops(Runs, Names, Variables);
  for (const char *Axis : {"x", "y", "z"})
    for (auto [Index, Dimension] :
         {std::pair("threadIdx.", "block."), std::pair("blockIdx.", "grid.")})
      Variables.push_back(
          {std::string(Index) + Axis, Expr::symbol(std::string(Dimension) + Axis) - 1});
  Variables.push_back({"omp.thread", Expr::symbol("omp.threads") - 1});

  std::vector<WrapCheck> Result;
  for (const ScevToExpr::RangeCheck &Check : Translate.rangeChecks()) {
    Expr Wraps;
    bool IsTooLong = false;
    for (int Sign : {1, -1}) {
      Expr Extreme = Check.Value;
      for (const Running &Variable : Variables) {
        Extreme = extremeOver(Extreme, Variable, Sign, Translate);
        IsTooLong |= Extreme.size() > MaxSize;
        if (IsTooLong)
          break;
      }
      if (IsTooLong)
        break;
      if (Translate.hasLoop(Extreme)) // of a loop that never runs
        continue;
      const Expr E =
          Sign > 0 ? Extreme - Expr(Check.Allowed.High) - 1 : Expr(Check.Allowed.Low) - 1 - Extreme;
      if (const auto Range = Translate.rangeOf(E); !Range || Range->High >= 0)
        Wraps += isNonNegative(E);
      IsTooLong = Wraps.size() > MaxWhole;
    }
    if (IsTooLong)
      Names.assume(Check.Location, "the arithmetic of this condition or loop does not wrap around");
    else if (!Wraps.isZero() && std::ranges::find(Result, Wraps, &WrapCheck::Wraps) == Result.end())
      Result.push_back({Check.Location, std::move(Wraps)});
  }
  return Result;
}

} // namespace ergon
