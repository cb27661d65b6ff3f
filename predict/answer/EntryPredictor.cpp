//===- EntryPredictor.cpp - repeated predictions of a function ------------===//

#include "predict/answer/EntryPredictor.h"
#include "predict/answer/Estimates.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ergon {

EntryPredictor::EntryPredictor(std::unique_ptr<CountedEntry> Counted, std::string Name,
                               OtherNames Others, std::shared_ptr<const PredictionTarget> PT)
    : Entry(std::move(Counted)), Name(std::move(Name)), Others(Others), Target(std::move(PT)) {}

void EntryPredictor::set(GivenValue Value) {
  std::erase_if(Values, [&](const GivenValue &GV) { return GV.Name == Value.Name; });
  Values.push_back(std::move(Value));
}

const std::expected<EntryCounts, Error> &EntryPredictor::counts() {
  if (!Last || Last->Values != Values) {
    std::set<std::size_t> Elsewhere;
    Last.emplace(Values,
                 Entry->counts(Values, Others == OtherNames::Ignored ? &Elsewhere : nullptr));
  }
  return Last->Counted;
}

std::expected<PredictionDocument, Error> EntryPredictor::predict(const PredictionTarget &Target) {
  const std::expected<EntryCounts, Error> &Counted = counts();
  if (!Counted)
    return std::unexpected(Counted.error());
  return ergon::predict(*Entry, *Counted, Target, Name);
}

std::expected<PredictionDocument, Error> EntryPredictor::predict() {
  return predict(Target ? *Target : PredictionTarget{});
}

/// Widens an interval by the values at the ends of the estimates' ranges; \p At is the value
/// between them.
static void widen(Interval &Result, double At, double Least, double Most) {
  if (At <= 0)
    return;
  Result.Low *= std::min({Least / At, Most / At, 1.0});
  Result.High *= std::max({Least / At, Most / At, 1.0});
}

/// Widens time, energy and power of \p Result by the costs of Least and Most.
static void addSpread(const EstimatedCounts &Estimated, const PredictionTarget &Target,
                      Cost &Result) {
  auto CostOf = [&](const CountValues &Counts) {
    return costOn(*Target.M, Target.Clocks, countsIn(Counts, Target.Scope));
  };
  const Cost At = CostOf(Estimated.Counted.Counts), Least = CostOf(*Estimated.Least),
             Most = CostOf(*Estimated.Most);
  for (Interval CostIntervals::*What : {&CostIntervals::TimeS, &CostIntervals::EnergyJ})
    widen(Result.*What, (At.*What).Value, (Least.*What).Value, (Most.*What).Value);
  for (const Interval &PowerW : {Least.PowerW, Most.PowerW}) {
    Result.PowerW.Low = std::min(Result.PowerW.Low, PowerW.Low);
    Result.PowerW.High = std::max(Result.PowerW.High, PowerW.High);
  }
  if (Estimated.IsUnbounded)
    Result.TimeS.High = Result.EnergyJ.High = std::numeric_limits<double>::infinity();
}

/// Marks the launches in \p Parts whose dimensions have no value without \p Estimates.
static void markEstimated(std::vector<PartValues> &Parts, const CountedEntry &Entry,
                          const Bindings &Bound, const std::vector<SymbolEstimate> &Estimates) {
  if (Estimates.empty() ||
      std::ranges::none_of(Parts, [](const PartValues &P) { return P.First.has_value(); }))
    return;
  Substitution Given = Bound.substitution();
  for (const SymbolEstimate &E : Estimates)
    Given.erase(E.What.Symbol);
  std::set<std::string> IsKnown;
  TotalsBuilder Builder(Entry.lookup(), std::move(Given), /*UseMeasured=*/true);
  for (const FirstLaunch &First : Builder.firstLaunches(Entry.function(), /*WithCounts=*/false)) {
    auto IsNumber = [](const Expr &E) { return E.constant().has_value(); };
    if (std::ranges::all_of(First.Shape.Grid, IsNumber) &&
        std::ranges::all_of(First.Shape.Block, IsNumber))
      IsKnown.insert(First.Function);
  }
  for (PartValues &Part : Parts)
    if (Part.First)
      Part.First->IsEstimated = !IsKnown.contains(Part.First->Function);
}

std::expected<PredictionDocument, Error> EntryPredictor::estimate() {
  const PredictionTarget NoTarget, &At = Target ? *Target : NoTarget;
  std::set<std::size_t> Elsewhere;
  const bool HasTraffic =
      At.Asked && (At.Asked->IsExplicit || At.Asked->Device == Entry->function().IsKernel);
  const RunSize OnTarget = sizeOn(At.M ? &*At.M : nullptr, At.Clocks);
  auto Estimated = estimateCounts(
      *Entry, Values, Others == OtherNames::Ignored ? &Elsewhere : nullptr, HasTraffic,
      [&](const CountValues &Counts) { return OnTarget(countsIn(Counts, At.Scope)); });
  if (!Estimated)
    return std::unexpected(Estimated.error());
  Last.reset(); // the entry's latest counts are others
  auto Result = ergon::predict(*Entry, Estimated->Counted, At, Name);
  if (!Result)
    return Result;
  if (Estimated->Least && Result->OnMachine)
    addSpread(*Estimated, At, *Result->OnMachine);
  if (At.Scope == RunScope::All)
    Result->Counts.Ranges.merge(Estimated->Ranges);
  for (const SymbolEstimate &E : Estimated->Estimates)
    Result->Bindings.erase(E.What.Symbol);
  if (!Estimated->Estimates.empty())
    for (auto &[Class, How] : Result->Counts.KnownAs) // of traffic, which depends on all
      if (memoryLevel(Class))
        How = Known::Estimated;
  markEstimated(Result->Counts.Parts, *Entry, Estimated->Counted.Bound, Estimated->Estimates);
  Result->Estimates = std::move(Estimated->Estimates);
  return Result;
}

} // namespace ergon
