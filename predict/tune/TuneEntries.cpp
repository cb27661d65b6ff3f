//===- TuneEntries.cpp - the best settings of a machine for functions -----===//

#include "predict/tune/TuneEntries.h"
#include "predict/answer/EntryCounts.h"
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
  const Function *Of;
  std::vector<std::string> Labels;
  std::vector<EntryCounts> Counts;
};

/// Reads, counts and compares; what is found goes into the document.
class Tuner {
public:
  Tuner(const TuneQuery &Query, const Machine &M, CountedRecords From)
      : Query(Query), M(M), Records(std::move(From)) {}
  std::expected<TuneDocument, Error> run();

private:
  const TuneQuery &Query;
  const Machine &M;
  CountedRecords Records;
  std::vector<std::unique_ptr<CountedEntry>> Opened;
  std::vector<Counted> Functions;
  std::map<std::string, std::size_t> Misses; ///< of a value: functions that lack its name
  std::size_t NumTried = 0;
  TuneDocument Result;

  std::optional<Error> count(const std::string &Entry, std::unique_ptr<CountedEntry> Of);
  std::optional<Error> countNamed();
  std::optional<Error> countAll();
  std::optional<Error> tuneOne(const PreparedMachine &Prepared, const Counted &Each,
                               std::vector<PlanPhase> &Phases);
  double fastestAtOneSetting() const;
  void planProgram(const std::vector<PlanPhase> &Phases);
  void addCommands();
};
} // namespace

/// Counts \p Of for each candidate; one that needs more values goes to Unbound.
std::optional<Error> Tuner::count(const std::string &Entry, std::unique_ptr<CountedEntry> Given) {
  CountedEntry &Of = *Opened.emplace_back(std::move(Given));
  Counted Next{Entry, &Of.function(), {}, {}};
  std::set<std::string> Missed;
  for (const TuneCandidate &Each : Query.Candidates) {
    std::vector<GivenValue> Values = Query.Values;
    std::ranges::copy(Each.Values, std::back_inserter(Values));
    std::set<std::size_t> NotHere;
    auto Counts = Of.counts(Values, &NotHere);
    if (!Counts)
      return Counts.error();
    for (const std::size_t Index : NotHere)
      Missed.insert(Values[Index].Source);
    bool IsOther = false;
    for (std::size_t Index = Query.Values.size(); Index != Values.size(); ++Index)
      IsOther |= !NotHere.contains(Index);
    if (!IsOther && !Next.Counts.empty())
      continue; // none of what is tried is this function's
    Next.Labels.push_back(IsOther ? Each.Label : "");
    Next.Counts.push_back(std::move(*Counts));
  }
  ++NumTried;
  for (const std::string &Source : Missed)
    ++Misses[Source];
  for (const EntryCounts &Each : Next.Counts)
    for (const Unknown &One : Each.Unknowns) {
      auto &Needs = Result.Unbound[Next.Of->Demangled];
      if (std::ranges::find(Needs, One.Symbol, &Unknown::Symbol) == Needs.end())
        Needs.push_back(One);
    }
  if (!Result.Unbound.contains(Next.Of->Demangled))
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
    // Where it is the only one, a name that it has not is refused with the names it has.
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

static Error noneWithin(const Limits &Within, const std::string &Function, const Machine &M,
                        const Tuning &Of) {
  std::string What = "no setting";
  if (Within.MaxSlowdown)
    What += fmt::format(" is within {:g} % of the fastest's time", 100 * *Within.MaxSlowdown);
  if (Within.PowerCapW)
    What +=
        fmt::format("{} stays within {:g} W", Within.MaxSlowdown ? " and" : "", *Within.PowerCapW);
  const Option &Least = Of.Options[Of.leastPower()];
  return {What, "",
          fmt::format("the least power is {:.4g} W{}, so allow that or more", Least.PeakW,
                      at(M.Settings[Least.Setting])),
          Function};
}

/// The classes that some function counts, sorted.
static std::vector<std::string> allClasses(const std::vector<Counted> &Functions) {
  std::set<std::string> Result;
  for (const Counted &Each : Functions)
    for (const EntryCounts &Counts : Each.Counts)
      for (const std::string &Class : classesOf(Counts.Counts))
        Result.insert(Class);
  return {Result.begin(), Result.end()};
}

static void unite(std::vector<std::string> &All, const std::vector<std::string> &Each) {
  for (const std::string &Name : Each)
    if (std::ranges::find(All, Name) == All.end())
      All.push_back(Name);
}

/// Each piece by itself: its best setting, and what it costs at each.
static void tuneParts(const PreparedMachine &Prepared, const std::vector<Piece> &Pieces,
                      const TuneDocument &Document, TunedEntry &Into, PlanPhase &Phase) {
  for (const Piece &Each : Pieces) {
    const Tuning Alone(Prepared, {{Each}}, Document.Within);
    if (Alone.Options[Alone.Fastest].TimeS == 0) // of the host nothing but copies is covered
      continue;
    PlanPart &Part = Phase.emplace_back();
    Part.Launches = Each.Name.empty() ? std::optional(1.0) : Each.Launches;
    for (const Option &One : Alone.Options)
      Part.At.push_back(!Document.Within.PowerCapW ||
                                isWithin(One.PeakW, *Document.Within.PowerCapW)
                            ? std::optional(TimeEnergy{One.TimeS, One.EnergyJ})
                            : std::nullopt);
    Into.Parts.push_back({Each.Name, Each.Launches, Alone.choose(Document.By), Alone.Options});
  }
}

std::optional<Error> Tuner::tuneOne(const PreparedMachine &Prepared, const Counted &Each,
                                    std::vector<PlanPhase> &Phases) {
  const Bindings &Bound = Each.Counts.front().Bound;
  TunedEntry Tuned;
  Tuned.Entry = Each.Entry;
  Tuned.Function = Each.Of->Demangled;
  Tuned.Bindings = Bound.Given;
  Tuned.Between = Bound.Between;
  Tuned.Defaults = Bound.Defaults;
  Tuned.Candidates = Each.Labels;
  std::vector<std::vector<Piece>> Ways;
  for (const EntryCounts &Counts : Each.Counts) {
    Work Whole = workOf(Counts.Counts, Prepared.Classes);
    Tuned.NotCovered = Whole.NotCovered;
    Ways.push_back(std::move(Whole.Pieces));
  }
  std::vector<std::string> Missing;
  for (const auto &Pieces : Ways)
    for (const Piece &One : Pieces) {
      const Estimate Named = estimate(Prepared.Costs[M.Default], Prepared.Classes, One.Value);
      unite(Missing, Named.Missing);
      unite(Tuned.Unpriced, Named.Unpriced);
      unite(Tuned.Untimed, Named.Untimed);
    }
  if (!Missing.empty())
    return Error{"the profile has no cost for " + joined(Missing), "",
                 "add it to the profile, or tune for another machine", M.Name};
  const Tuning Of(Prepared, Ways, Result.Within);
  const auto Best = Of.choose(Result.By);
  if (!Best)
    return noneWithin(Result.Within, Tuned.Function, M, Of);
  Tuned.Options = Of.Options;
  Tuned.Fastest = Of.Fastest;
  Tuned.Choices.emplace(Result.By, *Best);
  if (Query.All) {
    for (std::size_t I : {Best->Best, Of.Fastest})
      Tuned.Costs.emplace(I, Of.cost(Of.Options[I]));
  } else {
    for (std::size_t I = 0; I != Of.Options.size(); ++I)
      Tuned.Costs.emplace(I, Of.cost(Of.Options[I]));
    for (Objective By : {Objective::Energy, Objective::Edp, Objective::Ed2p, Objective::Time})
      Tuned.Choices.emplace(By, *Of.choose(By));
    const std::vector<Piece> &Chosen = Ways[Of.Options[Best->Best].Candidate];
    for (const Setting &At : M.Settings)
      Tuned.Balances.push_back(balanceOf(M, At, Prepared.Classes, Chosen));
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

/// Seconds of all parts at the one setting that is best for that, whatever power it takes.
double Tuner::fastestAtOneSetting() const {
  std::vector<double> Seconds(M.Settings.size(), 0);
  for (const TunedEntry &Each : Result.Entries)
    for (const TunedPart &Part : Each.Parts)
      for (const Option &One : Part.Options)
        Seconds[One.Setting] += One.TimeS;
  return *std::ranges::min_element(Seconds);
}

void Tuner::planProgram(const std::vector<PlanPhase> &Phases) {
  std::size_t NumParts = 0;
  for (const PlanPhase &Each : Phases)
    NumParts += Each.size();
  if (NumParts < 2 || M.Settings.size() < 2)
    return;
  std::optional<double> MaxTimeS;
  if (Result.Within.MaxSlowdown)
    MaxTimeS = fastestAtOneSetting() * (1 + *Result.Within.MaxSlowdown);
  TunedProgram Program;
  if (Query.Switch)
    Program.Switch = Query.Switch;
  else if (M.Timing.Switching)
    Program.Switch = TimeEnergy{M.Timing.Switching->TimeS.Value, M.Timing.Switching->EnergyJ.Value};
  const auto Whole = planOneSetting(Phases, Result.By, MaxTimeS);
  const auto Best = Program.Switch ? planClocks(Phases, *Program.Switch, Result.By, MaxTimeS)
                                   : planFreely(Phases, Result.By, MaxTimeS);
  if (!Whole || !Best) {
    Result.WhyNoProgram = "no one setting keeps all parts within the limits";
    return;
  }
  Program.Whole = *Whole;
  Program.Best = *Best;
  Program.BreakEven = breakEvenSwitch(*Best, *Whole, Result.By);
  for (const TunedEntry &Each : Result.Entries) {
    std::vector<std::string> Names;
    for (const TunedPart &Part : Each.Parts)
      Names.push_back(Part.Name);
    if (!Names.empty())
      Program.Parts.push_back(std::move(Names));
  }
  Result.Program = std::move(Program);
}

std::vector<std::string> clockCommands(MachineKind Kind, const Setting &At) {
  std::vector<std::string> Result;
  auto Whole = [](double Mhz) { return std::lround(Mhz); };
  if (!At.CoreMhz)
    return Result;
  if (Kind == MachineKind::Cpu) {
    Result.push_back(fmt::format("cpupower frequency-set -f {}MHz", Whole(*At.CoreMhz)));
    Result.push_back(fmt::format("srun --cpu-freq={}", Whole(*At.CoreMhz * 1000))); // in kHz
    return Result;
  }
  Result.push_back(fmt::format("nvidia-smi -lgc {0},{0}", Whole(*At.CoreMhz)));
  if (At.MemMhz)
    Result.push_back(fmt::format("nvidia-smi -lmc {0},{0}", Whole(*At.MemMhz)));
  Result.push_back(fmt::format("srun --gpu-freq={}{}", Whole(*At.CoreMhz),
                               At.MemMhz ? fmt::format(",memory={}", Whole(*At.MemMhz)) : ""));
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
  // One setting all along: of the program where there is one, else of the one entry.
  const TunedEntry &First = Result.Entries.front();
  const std::size_t Whole = Result.Program
                                ? Result.Program->Whole.Bases.front()
                                : First.Options[First.Choices.at(Result.By).Best].Setting;
  Result.Commands = clockCommands(*M.Kind, M.Settings[Whole]);
  if (Result.Commands.empty())
    Result.WhyNoCommands = "the profile has no settings";
}

std::expected<TuneDocument, Error> Tuner::run() {
  Result.Machine = M.Name;
  Result.Settings = M.Settings;
  Result.By = Query.By;
  Result.Within = Query.Within;
  if (auto Bad = Query.All ? countAll() : countNamed())
    return std::unexpected(*Bad);
  for (const auto &[Source, Times] : Misses)
    if (Times == NumTried)
      return std::unexpected(Error{"no entry has anything of that name", "",
                                   "see `ergon show` for the names", Source});
  const PreparedMachine Prepared(M, M.Settings, allClasses(Functions));
  std::vector<PlanPhase> Phases;
  for (const Counted &Each : Functions)
    if (auto Failed = tuneOne(Prepared, Each, Phases)) {
      if (!Query.All)
        return std::unexpected(*Failed);
      Result.LeftOut[Each.Of->Demangled] = Failed->What;
    }
  planProgram(Phases);
  addCommands();
  return std::move(Result);
}

std::expected<TuneDocument, Error> tune(const TuneQuery &Query, const Machine &M,
                                        CountedRecords From) {
  return Tuner(Query, M, std::move(From)).run();
}

std::string at(const Setting &Of) {
  if (!Of.CoreMhz)
    return "";
  return Of.MemMhz ? fmt::format(" at {:g}/{:g} MHz", *Of.CoreMhz, *Of.MemMhz)
                   : fmt::format(" at {:g} MHz", *Of.CoreMhz);
}

} // namespace ergon
