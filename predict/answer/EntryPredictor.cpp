//===- EntryPredictor.cpp - repeated predictions of a function ------------===//

#include "predict/answer/EntryPredictor.h"
#include "predict/answer/Estimates.h"
#include "predict/answer/LaunchPrediction.h"
#include "predict/values/ArgumentValues.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace ergon {

EntryPredictor::EntryPredictor(std::unique_ptr<CountedEntry> Counted, std::string Name,
                               OtherNames Others, std::shared_ptr<const PredictionTarget> PT)
    : Entry(std::move(Counted)), Name(std::move(Name)), Others(Others), Target(std::move(PT)) {}

void EntryPredictor::keep(const code::ProgramValues &Known) {
  Entry->setKnownLaunches(Known.First);
  Entry->setMeans(Known.Estimates);
  Entry->setLikely(likelyFormulas(Known));
  if (!Known.Calls.empty())
    Entry->setKnownCalls(Known.Calls);
  std::map<std::string, Substitution> Own = valuesOfFunctions(Known);
  for (const GivenValue &Value : Values) // the user knows better
    for (auto &[Function, Numbers] : Own)
      Numbers.erase(Value.Name);
  std::erase_if(Own, [](const auto &Function) { return Function.second.empty(); });
  if (!Own.empty())
    Entry->setKnownValues(std::move(Own));
}

const Device *EntryPredictor::gpu() const {
  return Target && Target->M && Target->M->Topology.Gpu ? &*Target->M->Topology.Gpu : nullptr;
}

/// What code finds where it asks the machine: its own caches, or usual ones; its own GPU or none
/// that is known.
code::Hardware EntryPredictor::hardware() const {
  code::Hardware Result;
  if (Target && Target->M)
    for (const Cache &C : Target->M->Topology.Caches)
      Result.Caches.push_back(
          {unsigned(C.Level.back() - '0'), C.Bytes, C.LineBytes.value_or(64), C.Ways.value_or(8)});
  if (Result.Caches.empty())
    Result.Caches = {{1, 32 << 10}, {2, 256 << 10}, {3, 8 << 20, 64, 16}};
  for (const GivenValue &Value : Values)
    if (const auto Threads = Value.Name == "omp.threads" && Value.isNumber()
                                 ? Value.Range->Low.asWord()
                                 : std::nullopt)
      Result.Threads = std::uint64_t(*Threads);
  if (const Device *Gpu = gpu())
    Result.Gpu = {std::uint64_t(Gpu->Multiprocessors.Value), std::uint64_t(Gpu->Limits.Threads),
                  std::uint64_t(Gpu->Capability.Major), std::uint64_t(Gpu->Capability.Minor)};
  return Result;
}

code::ProgramValues EntryPredictor::know(code::CommandLine How) {
  How.On = hardware();
  code::ProgramValues Result = argumentValues(Entry->function(), Entry->lookup(), How, DamagedCode);
  keep(Result);
  return Result;
}

code::ProgramValues EntryPredictor::knowFromValues() {
  static const Totals None;
  const Function &Which = Entry->function();
  code::ProgramValues Result;
  // Without unknowns, formulas say all. A run's functions have fewer than their code.
  if (Which.IsAsRun || Entry->sites().unknowns(Which) != 0) {
    std::set<std::size_t> NotItsOwn;
    const auto Own = bindValues(Values, Which, []() -> const Totals & { return None; }, &NotItsOwn);
    Result =
        entryValues(Which, Entry->lookup(), Own ? Own->Given : std::map<std::string, Rational>{},
                    hardware(), DamagedCode);
  }
  keep(Result);
  return Result;
}

void EntryPredictor::set(GivenValue Value) {
  // What the program makes of its arguments is no reason against what the user says.
  if (Value.IsOptional && std::ranges::any_of(Values, [&](const GivenValue &GV) {
        return GV.Name == Value.Name && !GV.IsOptional;
      }))
    return;
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
  Bound = Counted->Bound;
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
    return costOn(*Target.M, Target.Clocks, countsIn(Counts, Target.Scope), Target.Measured);
  };
  const Cost At = CostOf(Estimated.Counted.Counts), Least = CostOf(*Estimated.Least),
             Most = CostOf(*Estimated.Most);
  for (Interval CostIntervals::*What : {&CostIntervals::TimeS, &CostIntervals::EnergyJ})
    widen(Result.*What, (At.*What).Value, (Least.*What).Value, (Most.*What).Value);
  for (const Interval &PowerW : {Least.PowerW, Most.PowerW}) {
    Result.PowerW.Low = std::min(Result.PowerW.Low, PowerW.Low);
    Result.PowerW.High = std::max(Result.PowerW.High, PowerW.High);
  }
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
  TotalsBuilder Builder = Entry.builder(std::move(Given));
  for (const FirstLaunch &First :
       Builder.firstLaunches(Entry.function(), /*WithCounts=*/false, Entry.knownLaunches())) {
    auto IsNumber = [](const Expr &E) { return E.constant().has_value(); };
    if (std::ranges::all_of(First.Shape.Grid, IsNumber) &&
        std::ranges::all_of(First.Shape.Block, IsNumber))
      IsKnown.insert(First.Function);
  }
  for (PartValues &Part : Parts)
    if (Part.First)
      Part.First->IsEstimated = !IsKnown.contains(Part.First->Function);
}

/// Whether data decide what \p Symbol stands for: a branch or a loop.
static bool isDecidedByData(const std::string &Symbol) {
  return std::ranges::any_of(std::array{"taken@", "trips@", "runs@"},
                             [&](const char *Prefix) { return Symbol.starts_with(Prefix); });
}

/// The ranges of what is estimated. A value that may be all that its type holds has no end.
static OpenSymbols openSymbols(const std::vector<SymbolEstimate> &Estimates) {
  static const Rational FarAway(1'000'000'000), LastOfInt(std::numeric_limits<std::int32_t>::max());
  OpenSymbols Result;
  for (const SymbolEstimate &E : Estimates) {
    const std::string &Symbol = E.What.Symbol;
    Result.Between.emplace(Symbol, Bounds{E.Low, E.High.value_or(E.Low + FarAway)});
    if (!E.High || (!isDecidedByData(Symbol) && *E.High >= LastOfInt))
      Result.WithoutEnd.insert(Symbol);
  }
  return Result;
}

/// Executed flops for all values that estimated symbols may have, in the place of the estimates.
static void widenExecuted(CountValues &Counts, const CountedEntry &Entry, const Bindings &Bound,
                          const std::vector<SymbolEstimate> &Estimates) {
  const OpenSymbols Open = openSymbols(Estimates);
  if (Open.Between.empty())
    return;
  Substitution Given = Bound.substitution();
  for (const auto &[Symbol, Range] : Open.Between)
    Given.erase(Symbol);
  TotalsBuilder Builder = Entry.builder(std::move(Given));
  if (Counts.Executed)
    Counts.Executed = executedFlops(Builder.of(Entry.function()).Values, Open, LongSums::Sampled);
  if (std::ranges::none_of(Counts.Parts, [](const PartValues &P) { return P.First.has_value(); }))
    return;
  for (const FirstLaunch &First :
       Builder.firstLaunches(Entry.function(), /*WithCounts=*/true, Entry.knownLaunches()))
    for (PartValues &Part : Counts.Parts)
      if (Part.First && Part.First->Function == First.Function)
        Part.First->Executed = executedFlops(First.Values, Open, LongSums::Sampled);
}

std::expected<PredictionDocument, Error> EntryPredictor::estimate() {
  return estimate(Target ? *Target : PredictionTarget{});
}

std::expected<PredictionDocument, Error> EntryPredictor::estimate(const PredictionTarget &At,
                                                                  Spread Wanted) {
  std::set<std::size_t> Elsewhere;
  const bool HasTraffic =
      At.Asked && (At.Asked->IsExplicit || At.Asked->Device == Entry->function().IsKernel);
  const RunSize OnTarget = sizeOn(At.M ? &*At.M : nullptr, At.Clocks);
  RunSize SizeOf;
  if (Wanted == Spread::Computed)
    SizeOf = [&](const CountValues &Counts) { return OnTarget(countsIn(Counts, At.Scope)); };
  auto Estimated = estimateCounts(
      *Entry, Values, Others == OtherNames::Ignored ? &Elsewhere : nullptr, HasTraffic, SizeOf);
  if (!Estimated)
    return std::unexpected(Estimated.error());
  Last.reset(); // the entry's latest counts are others
  Bound = Estimated->Counted.Bound;
  auto Result = ergon::predict(*Entry, Estimated->Counted, At, Name);
  if (!Result)
    return Result;
  const bool IsMeasured = !At.Measured.empty(); // whatever the counts are
  if (Estimated->Least && Result->OnMachine && !(IsMeasured && Result->Time))
    addSpread(*Estimated, At, *Result->OnMachine);
  if (Estimated->IsUnbounded && Result->OnMachine && !IsMeasured)
    Result->OnMachine->TimeS.High = Result->OnMachine->EnergyJ.High =
        std::numeric_limits<double>::infinity();
  if (At.Scope == RunScope::All) {
    for (const auto &[Class, Range] : Estimated->Ranges) // these contain the others
      Result->Counts.Ranges.insert_or_assign(Class, Range);
    Result->AtLeast = std::move(Estimated->AtLeast);
  }
  for (const SymbolEstimate &E : Estimated->Estimates)
    Result->Bindings.erase(E.What.Symbol);
  if (!Estimated->Estimates.empty())
    for (auto &[Class, How] : Result->Counts.KnownAs) // of traffic, which depends on all
      if (memoryLevel(Class))
        How = Known::Estimated;
  Entry->dropLikely();
  widenExecuted(Result->Counts, *Entry, Estimated->Counted.Bound, Estimated->Estimates);
  markEstimated(Result->Counts.Parts, *Entry, Estimated->Counted.Bound, Estimated->Estimates);
  Result->Estimates = std::move(Estimated->Estimates);
  widenEstimatedLaunches(*Entry, *Result);
  if (IsMeasured) // a run that ended, so that nothing is said of further iterations
    return Result;
  if (auto Added = addIteration(At, *Result); !Added)
    return std::unexpected(Added.error());
  return Result;
}

/// Where the run of \p Result is in loops without an end: how much it grows with each iteration, in
/// the mean of many, as what bounds the first one's time may be what runs before it.
std::expected<void, Error> EntryPredictor::addIteration(const PredictionTarget &At,
                                                        PredictionDocument &Result) {
  static constexpr std::int64_t Iterations = 1000;
  IterationCost Cost;
  const std::vector<GivenValue> Before = Values;
  for (const SymbolEstimate &E : Result.Estimates)
    if (E.What.Symbol.starts_with(EndlessLoop)) {
      Cost.Loops.push_back(E.What.Symbol);
      Values.emplace_back(E.What.Symbol, E.Value + Rational(Iterations));
    }
  if (Cost.Loops.empty())
    return {};
  const std::optional<Bindings> BoundBefore = Bound;
  auto More = estimate(At, Spread::Skipped);
  Values = Before;
  Bound = BoundBefore;
  if (!More)
    return std::unexpected(More.error());
  for (const auto &[Class, Value] : More->Counts.Values) {
    auto Found = Result.Counts.Values.find(Class);
    const Rational Added = Found == Result.Counts.Values.end() ? Value : Value - Found->second;
    if (Added != 0)
      Cost.Counts.emplace(Class, Added / Rational(Iterations));
  }
  if (Result.OnMachine && More->OnMachine) {
    Cost.TimeS = (More->OnMachine->TimeS.Value - Result.OnMachine->TimeS.Value) / Iterations;
    Cost.EnergyJ = (More->OnMachine->EnergyJ.Value - Result.OnMachine->EnergyJ.Value) / Iterations;
  } else if (Result.Time && More->Time) {
    Cost.TimeS = (More->Time->TimeS - Result.Time->TimeS) / Iterations;
  }
  Result.PerIteration = std::move(Cost);
  return {};
}

} // namespace ergon
