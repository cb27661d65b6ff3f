//===- TuneEntries.cpp - the best settings of a machine for functions -----===//

#include "predict/tune/TuneEntries.h"
#include "model/energy/PricedCounts.h"
#include "predict/answer/EntryPrediction.h"
#include "predict/answer/Estimates.h"
#include "predict/answer/PredictionTarget.h"
#include "predict/text/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <set>

namespace ergon {

namespace {
/// A function with its counts for each candidate.
struct Counted {
  std::string Entry;
  const Function *Callee;
  std::vector<std::string> Labels;
  std::vector<EntryCounts> Counts;
  std::vector<SymbolEstimate> Estimates; ///< of the first candidate
};

/// Reads, counts and compares; writes results to the document.
class Tuner {
public:
  Tuner(const TuneQuery &Query, const Machine &M, PredictionTarget OnDefault, CountedRecords From)
      : Query(Query), M(M), Target(std::move(OnDefault)), Records(std::move(From)) {}
  std::expected<TuneDocument, Error> run();

private:
  const TuneQuery &Query;
  const Machine &M;
  PredictionTarget Target; ///< traffic is the same at all settings
  CountedRecords Records;
  std::vector<std::unique_ptr<CountedEntry>> Opened;
  std::vector<Counted> Functions;
  std::map<std::string, std::size_t> Misses; ///< of a value: functions that lack its name
  std::size_t NumTried = 0;
  TuneDocument Result;

  /// The counts with what caches let through, and with machine instructions on a GPU, as the
  /// profile prices them.
  EntryCounts withTraffic(CountedEntry &CE, EntryCounts Counted) const;
  std::expected<EstimatedCounts, Error> countsOf(CountedEntry &CE,
                                                 const std::vector<GivenValue> &Values,
                                                 std::set<std::size_t> *NotHere) const;
  std::optional<Error> count(const std::string &Entry, std::unique_ptr<CountedEntry> Given);
  std::optional<Error> countNamed();
  std::optional<Error> countAll();
  std::optional<Error> tuneOne(const PreparedMachine &Prepared, const Counted &C,
                               std::vector<PlanPhase> &Phases);
  double fastestAtOneSetting() const;
  void planProgram(const std::vector<PlanPhase> &Phases);
  void addCommands();
};
} // namespace

/// The counts with estimates, unless the query is strict. The interval of each class is that of the
/// estimates' ranges.
std::expected<EstimatedCounts, Error> Tuner::countsOf(CountedEntry &CE,
                                                      const std::vector<GivenValue> &Values,
                                                      std::set<std::size_t> *NotHere) const {
  if (Query.Strict) {
    auto Counted = CE.counts(Values, NotHere);
    if (!Counted)
      return std::unexpected(Counted.error());
    EstimatedCounts Result;
    Result.Counted = std::move(*Counted);
    return Result;
  }
  auto Result =
      estimateCounts(CE, Values, NotHere, /*OfAccesses=*/false, sizeOn(&M, M.Settings[M.Default]));
  if (Result) {
    if (!Result->IsUnbounded)
      Result->Counted.Counts.Ranges.merge(Result->Ranges);
    for (const SymbolEstimate &E : Result->Estimates)
      Result->Counted.Bound.Given.erase(E.What.Symbol);
  }
  return Result;
}

EntryCounts Tuner::withTraffic(CountedEntry &CE, EntryCounts Counted) const {
  if (Counted.Counts.Unbound.empty() && !Counted.IsInNumbers)
    if (auto OnCaches = countOn(CE, Counted, Target); OnCaches)
      Counted.Counts = std::move(OnCaches->Counts);
  Counted.Counts = pricedCounts(M, std::move(Counted.Counts));
  return Counted;
}

/// Counts \p Given for each candidate; one that needs more values goes to Unbound.
std::optional<Error> Tuner::count(const std::string &Entry, std::unique_ptr<CountedEntry> Given) {
  CountedEntry &CE = *Opened.emplace_back(std::move(Given));
  Counted Next{Entry, &CE.function(), {}, {}, {}};
  std::set<std::string> Missed;
  for (const TuneCandidate &Candidate : Query.Candidates) {
    std::vector<GivenValue> Values = Query.Values;
    std::ranges::copy(Candidate.Values, std::back_inserter(Values));
    std::set<std::size_t> NotHere;
    auto Counts = countsOf(CE, Values, &NotHere);
    if (!Counts)
      return Counts.error();
    if (auto Bad = refuseOtherProcessor(M, CE.function().Demangled, CE.isDevice(),
                                        Counts->Counted.Counts, RunScope::All))
      return Bad;
    for (const std::size_t Index : NotHere)
      Missed.insert(Values[Index].Source);
    bool IsOther = false;
    for (std::size_t Index = Query.Values.size(); Index != Values.size(); ++Index)
      IsOther |= !NotHere.contains(Index);
    if (!IsOther && !Next.Counts.empty())
      continue; // no candidate applies to this function
    Next.Labels.push_back(IsOther ? Candidate.Label : "");
    if (Next.Counts.empty())
      Next.Estimates = std::move(Counts->Estimates);
    Next.Counts.push_back(withTraffic(CE, std::move(Counts->Counted)));
  }
  ++NumTried;
  for (const std::string &Source : Missed)
    ++Misses[Source];
  for (const EntryCounts &Count : Next.Counts)
    for (const Unknown &U : Count.Unknowns) {
      auto &Needs = Result.Unbound[Next.Callee->Demangled];
      if (std::ranges::find(Needs, U.Symbol, &Unknown::Symbol) == Needs.end())
        Needs.push_back(U);
    }
  if (!Result.Unbound.contains(Next.Callee->Demangled))
    Functions.push_back(std::move(Next));
  return std::nullopt;
}

std::optional<Error> Tuner::countNamed() {
  for (const std::string &Name : Query.Entries) {
    FunctionQuery Named = Query.Functions;
    Named.Entry = Name;
    auto Entry = Records.find(Named);
    if (!Entry)
      return Entry.error();
    // A single function rejects unknown names, and lists its own.
    const bool IsTrying = Query.Candidates.size() > 1 || !Query.Candidates.front().Values.empty();
    if (Query.Entries.size() == 1 && !IsTrying)
      if (auto Counts = (*Entry)->counts(Query.Values); !Counts)
        return Counts.error();
    if (auto Failed = count(Name, std::move(*Entry)))
      return Failed;
  }
  return std::nullopt;
}

std::optional<Error> Tuner::countAll() {
  FunctionQuery Every = Query.Functions;
  std::vector<FunctionRef> Refs;
  for (const char *Snapshot : {"algorithm", "source"})
    if (Refs.empty()) {
      if (Query.Functions.Snapshot.empty())
        Every.Snapshot = Snapshot;
      Refs = Records.select(Every);
    }
  for (const FunctionRef &Ref : Refs) {
    auto Entry = Records.load(Ref);
    if (!Entry)
      return Entry.error();
    const std::string &Name = (*Entry)->function().Demangled;
    if (auto Failed = count(Name, std::move(*Entry)))
      Result.LeftOut[Name] = Failed->What;
  }
  return std::nullopt;
}

static Error noneWithin(const Limits &L, const std::string &Function, const Machine &M,
                        const Tuning &T) {
  std::string What = "no setting";
  if (L.MaxSlowdown)
    What += fmt::format(" is within {:g} % of the fastest's time", 100 * *L.MaxSlowdown);
  if (L.PowerCapW)
    What += fmt::format("{} stays within {:g} W", L.MaxSlowdown ? " and" : "", *L.PowerCapW);
  const Option &Least = T.Options[T.leastPower()];
  return {What, "",
          fmt::format("the least power is {:.4g} W{}, so allow that or more", Least.PeakW,
                      at(M.Settings[Least.Setting])),
          Function};
}

/// The classes that some function counts, sorted.
static std::vector<std::string> allClasses(const std::vector<Counted> &Functions) {
  std::set<std::string> Result;
  for (const Counted &Function : Functions)
    for (const EntryCounts &Counts : Function.Counts)
      for (const std::string &Class : classesOf(Counts.Counts))
        Result.insert(Class);
  return {Result.begin(), Result.end()};
}

/// The best setting of each piece, and its cost at each setting.
static void tuneParts(const PreparedMachine &Prepared, const std::vector<Piece> &Pieces,
                      const TuneDocument &Document, TunedEntry &Result, PlanPhase &Phase) {
  for (const Piece &P : Pieces) {
    const Tuning Alone(Prepared, {{P}}, Document.Limit);
    if (Alone.Options[Alone.Fastest].TimeS == 0) // of host code only copies are covered
      continue;
    PlanPart &Part = Phase.emplace_back();
    Part.Launches = P.Name.empty() ? std::optional(1.0) : P.Launches;
    for (const Option &O : Alone.Options)
      Part.CostAtSetting.push_back(!Document.Limit.PowerCapW ||
                                           isWithin(O.PeakW, *Document.Limit.PowerCapW)
                                       ? std::optional(TimeEnergy{O.TimeS, O.EnergyJ})
                                       : std::nullopt);
    Result.Parts.push_back({P.Name, P.Launches, Alone.choose(Document.Goal), Alone.Options});
  }
}

std::optional<Error> Tuner::tuneOne(const PreparedMachine &Prepared, const Counted &C,
                                    std::vector<PlanPhase> &Phases) {
  const Bindings &Bound = C.Counts.front().Bound;
  TunedEntry Tuned;
  Tuned.Entry = C.Entry;
  Tuned.Function = C.Callee->Demangled;
  Tuned.Bindings = Bound.Given;
  Tuned.Bounds = Bound.Ranges;
  Tuned.Defaults = Bound.Defaults;
  Tuned.Candidates = C.Labels;
  Tuned.Estimates = C.Estimates;
  Tuned.DramIsRequested = C.Counts.front().Counts.DramIsRequested;
  std::vector<std::vector<Piece>> Ways;
  for (const EntryCounts &Counts : C.Counts) {
    Work Whole = workOf(Counts.Counts, Prepared.Classes);
    Tuned.NotCovered = Whole.NotCovered;
    Ways.push_back(std::move(Whole.Pieces));
  }
  std::vector<std::string> Missing;
  for (const auto &Pieces : Ways)
    for (const Piece &P : Pieces) {
      const Estimate Named = estimate(Prepared.Costs[M.Default], Prepared.Classes, P.Amounts);
      unite(Missing, Named.Missing);
      unite(Tuned.Unpriced, Named.Unpriced);
      unite(Tuned.Untimed, Named.Untimed);
    }
  if (!Missing.empty())
    return Error{"the profile has no cost for " + joined(Missing), "",
                 M.Fit.Quality && M.Timing.Throughputs.empty()
                     ? "it knows no times: fit it again with --time"
                     : "add it to the profile, or tune for another machine",
                 M.Name};
  const Tuning T(Prepared, Ways, Result.Limit);
  const auto Best = T.choose(Result.Goal);
  if (!Best)
    return noneWithin(Result.Limit, Tuned.Function, M, T);
  Tuned.Options = T.Options;
  Tuned.Fastest = T.Fastest;
  Tuned.Choices.emplace(Result.Goal, *Best);
  auto CostOf = [&](const Option &O) {
    CostIntervals Cost = T.cost(O);
    const CountValues &Counts = C.Counts[O.Candidate].Counts;
    if (!Prepared.known() && C.Callee->IsKernel && !Counts.DramIsRequested &&
        Counts.Values.contains("warp_instructions"))
      addErrorOfSource(Cost);
    return Cost;
  };
  if (Query.All) {
    for (std::size_t I : {Best->Best, T.Fastest})
      Tuned.Costs.emplace(I, CostOf(T.Options[I]));
  } else {
    for (std::size_t I = 0; I != T.Options.size(); ++I)
      Tuned.Costs.emplace(I, CostOf(T.Options[I]));
    for (Objective O : {Objective::Energy, Objective::Edp, Objective::Ed2p, Objective::Time})
      Tuned.Choices.emplace(O, *T.choose(O));
    const std::vector<Piece> &Chosen = Ways[T.Options[Best->Best].Candidate];
    for (const Setting &Clocks : M.Settings)
      Tuned.Balances.push_back(balanceOf(M, Clocks, Prepared.Classes, Chosen));
    PlanPhase Phase;
    tuneParts(Prepared, Chosen, Result, Tuned, Phase);
    if (!Phase.empty())
      Phases.push_back(std::move(Phase));
    if (Tuned.Parts.size() == 1)
      Tuned.Parts.front().Name = Tuned.Function;
  }
  Result.Entries.push_back(std::move(Tuned));
  return std::nullopt;
}

/// Seconds of all parts at the best single setting, ignoring power.
double Tuner::fastestAtOneSetting() const {
  std::vector<double> Seconds(M.Settings.size(), 0);
  for (const TunedEntry &Entry : Result.Entries)
    for (const TunedPart &Part : Entry.Parts)
      for (const Option &O : Part.Options)
        Seconds[O.Setting] += O.TimeS;
  return *std::ranges::min_element(Seconds);
}

void Tuner::planProgram(const std::vector<PlanPhase> &Phases) {
  std::size_t NumParts = 0;
  for (const PlanPhase &Phase : Phases)
    NumParts += Phase.size();
  if (NumParts < 2 || M.Settings.size() < 2)
    return;
  std::optional<double> MaxTimeS;
  if (Result.Limit.MaxSlowdown)
    MaxTimeS = fastestAtOneSetting() * (1 + *Result.Limit.MaxSlowdown);
  TunedProgram Program;
  if (Query.Switch)
    Program.Switch = Query.Switch;
  else if (M.Timing.Switching)
    Program.Switch = TimeEnergy{M.Timing.Switching->TimeS.Value, M.Timing.Switching->EnergyJ.Value};
  const auto Whole = planOneSetting(Phases, Result.Goal, MaxTimeS);
  const auto Best = Program.Switch ? planClocks(Phases, *Program.Switch, Result.Goal, MaxTimeS)
                                   : planFreely(Phases, Result.Goal, MaxTimeS);
  if (!Whole || !Best) {
    Result.WhyNoProgram = "no one setting keeps all parts within the limits";
    return;
  }
  Program.Whole = *Whole;
  Program.Best = *Best;
  Program.BreakEven = breakEvenSwitch(*Best, *Whole, Result.Goal);
  for (const TunedEntry &Entry : Result.Entries) {
    std::vector<std::string> Names;
    for (const TunedPart &Part : Entry.Parts)
      Names.push_back(Part.Name);
    if (!Names.empty())
      Program.Parts.push_back(std::move(Names));
  }
  Result.Program = std::move(Program);
}

std::vector<std::string> clockCommands(const Machine &M, const Setting &Clocks) {
  static constexpr ComputeCapability Volta{7, 0}, Ampere{8, 0};
  std::vector<std::string> Result;
  auto Whole = [](double Mhz) { return std::lround(Mhz); };
  if (!Clocks.CoreMhz)
    return Result;
  const long Core = Whole(*Clocks.CoreMhz);
  if (M.Kind == MachineKind::Cpu) {
    Result.push_back(fmt::format("cpupower frequency-set -f {}MHz", Core));
    Result.push_back(fmt::format("srun --cpu-freq={}", Whole(*Clocks.CoreMhz * 1000))); // in kHz
    return Result;
  }
  // Where the generation is not known, the commands of today.
  const ComputeCapability Board = M.Topology.Gpu ? M.Topology.Gpu->Capability : Ampere;
  if (Board >= Volta)
    Result.push_back(fmt::format("nvidia-smi -lgc {0},{0}", Core));
  if (Clocks.MemMhz && Board >= Ampere)
    Result.push_back(fmt::format("nvidia-smi -lmc {0},{0}", Whole(*Clocks.MemMhz)));
  else if (Clocks.MemMhz)
    Result.push_back(fmt::format("nvidia-smi -ac {},{}", Whole(*Clocks.MemMhz), Core));
  Result.push_back(
      fmt::format("srun --gpu-freq={}{}", Core,
                  Clocks.MemMhz ? fmt::format(",memory={}", Whole(*Clocks.MemMhz)) : ""));
  return Result;
}

void Tuner::addCommands() {
  if (Query.All || Result.Entries.empty())
    return;
  if (!M.Kind) { // an SoC's GPU, for one, is not nvidia-smi's: only what is said counts
    Result.WhyNoCommands =
        "the profile does not say what sets its clocks: `kind`, gpu or cpu, is not in it";
    return;
  }
  // A single setting throughout: of the program if there is one, else of the entry.
  const TunedEntry &First = Result.Entries.front();
  const std::size_t Whole = Result.Program
                                ? Result.Program->Whole.Bases.front()
                                : First.Options[First.Choices.at(Result.Goal).Best].Setting;
  Result.Commands = clockCommands(M, M.Settings[Whole]);
  if (Result.Commands.empty())
    Result.WhyNoCommands = "the profile has no settings";
}

std::expected<TuneDocument, Error> Tuner::run() {
  Result.Machine = M.Name;
  Result.Settings = M.Settings;
  Result.Default = M.Default;
  Result.Goal = Query.Goal;
  if (M.Fit.Quality)
    Result.Losses = M.Fit.Quality->Losses;
  Result.Limit = Query.Limit;
  if (auto Bad = Query.All ? countAll() : countNamed())
    return std::unexpected(*Bad);
  for (const auto &[Source, Times] : Misses)
    if (Times == NumTried)
      return std::unexpected(Error{"no entry has anything of that name", "",
                                   "see `ergon show` for the names", Source});
  PreparedMachine Prepared(M, M.Settings, allClasses(Functions));
  if (!Query.Measured.empty() && !Functions.empty()) {
    std::vector<Piece> Whole;
    for (const Counted &Function : Functions)
      std::ranges::copy(workOf(Function.Counts.front().Counts, Prepared.Classes).Pieces,
                        std::back_inserter(Whole));
    if (Prepared.know(Query.Measured, Whole)) {
      Result.KnownSettings = Prepared.known()->knownSettings();
      Result.Measured = compared(Prepared);
      Result.MeasureNext = nextToMeasure(*Prepared.known(), M.Settings);
    }
  }
  std::vector<PlanPhase> Phases;
  for (const Counted &Function : Functions)
    if (auto Failed = tuneOne(Prepared, Function, Phases)) {
      if (!Query.All)
        return std::unexpected(*Failed);
      Result.LeftOut[Function.Callee->Demangled] = Failed->What;
    }
  if (!Query.Measured.empty() && !Functions.empty() && !Prepared.known())
    return std::unexpected(noTimeToCorrect(M));
  planProgram(Phases);
  addCommands();
  return std::move(Result);
}

std::expected<TuneDocument, Error> tune(const TuneQuery &Query, const Machine &M,
                                        CountedRecords From) {
  auto Target = targetOf(M);
  if (!Target)
    return std::unexpected(Target.error());
  return Tuner(Query, M, std::move(*Target), std::move(From)).run();
}

} // namespace ergon
