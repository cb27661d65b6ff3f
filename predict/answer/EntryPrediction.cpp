//===- EntryPrediction.cpp - what an entry will cost ----------------------===//

#include "predict/answer/EntryPrediction.h"
#include "model/gpu/LaunchIssue.h"
#include "predict/answer/LaunchPrediction.h"
#include "predict/text/Text.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace ergon {

namespace {
/// Predicts traffic and puts it into the document and its counts.
struct TrafficAdder {
  const TrafficRequest &Asked;
  CountedEntry &Entry;
  const Bindings &Bound;
  PredictionDocument &Result;

  std::optional<Error> add(const Machine *M);

private:
  std::optional<Error> unknown(const Error &Why);
  std::optional<Error> addOfHost(const Machine *M);
  std::optional<Error> addOfLaunch(const Machine *M, const DeviceCaches &Through);
};
} // namespace

/// An error where traffic was requested, else a remark.
std::optional<Error> TrafficAdder::unknown(const Error &Why) {
  if (Asked.IsExplicit)
    return Error{"traffic is not known: " + Why.What, "", Why.Fix, Result.Function};
  Result.TrafficUnknown = Error{Why.What, "", Why.Fix, ""}.line();
  return std::nullopt;
}

std::optional<Error> TrafficAdder::add(const Machine *M) {
  if (Entry.function().IsKernel && Asked.Device) {
    if (!Asked.Addresses.empty() || Asked.Cores != 1)
      return Error{"--place and --cores are for code of a host", "",
                   "leave them out: objects of a kernel start on a line, and all multiprocessors "
                   "are at work",
                   Result.Function};
    if (auto Through = deviceCaches(*M))
      return addOfLaunch(M, *Through);
  }
  if (!Entry.function().IsKernel && Result.Counts.Parts.empty() && !Asked.Device)
    return addOfHost(M);
  if (!Asked.IsExplicit)
    return std::nullopt;
  return unknown({"it is predicted for a kernel on a GPU whose caches are known, and for code that "
                  "launches none on a host's caches",
                  "predict for such an entry and --machine"});
}

std::optional<Error> TrafficAdder::addOfLaunch(const Machine *M, const DeviceCaches &Through) {
  LaunchSize Launch;
  for (const auto *Given : {&Bound.Defaults, &Bound.Given})
    for (std::size_t Axis = 0; Axis != 3; ++Axis)
      for (auto [Kind, Values] :
           {std::pair("grid.", &Launch.Grid), std::pair("block.", &Launch.Block)})
        if (auto Found = Given->find(Kind + std::string(1, "xyz"[Axis])); Found != Given->end())
          (*Values)[Axis] = Found->second.get_si();
  const BlockNeeds Needs = needsOf(Entry.function().Resources);
  Launch.RegistersPerThread = Needs.RegistersPerThread;
  const auto Accesses = Entry.accesses(Bound);
  if (!Accesses)
    return Accesses.error();
  auto Report = reportDeviceTraffic(**Accesses, Launch, Through);
  if (!Report)
    return unknown(Report.error());
  addTraffic(*Report, Result.Counts);
  if (M && M->Topology.Gpu)
    addIssue({Launch, Needs.SharedBytes.value_or(0), &*Report}, *M->Topology.Gpu, Result.Counts);
  Result.LaunchTraffic = std::move(*Report);
  return std::nullopt;
}

std::optional<Error> TrafficAdder::addOfHost(const Machine *M) {
  const auto Threads = Bound.Given.find("omp.threads");
  const bool IsParallel = Threads != Bound.Given.end() && Threads->second > Rational(1);
  // Other profiles have prices of a whole processor.
  const unsigned Team = IsParallel && M && M->Timing.InCore
                            ? unsigned(std::min(Threads->second.get_d(), 1048576.0))
                            : 1;
  auto Path = pathOfOneCore(Asked.Caches, Asked.Cores, Team);
  if (!Path)
    return unknown(Path.error());
  const auto Followed = Entry.accesses(Bound);
  if (!Followed)
    return Followed.error();
  AccessProgram Accesses = **Followed;
  // Without traffic there is no time that depends on it.
  const bool IsNeeded = Asked.IsExplicit || (M && M->Timing.InCore);
  if (!Accesses.Unbound.empty() && IsNeeded && Bound.Ranges.empty()) {
    for (const std::string &Symbol : Accesses.Unbound) { // exit status 3
      Result.Counts.Unbound.push_back(Symbol);
      Result.Unknowns.push_back(Entry.explain(Symbol));
    }
    return std::nullopt;
  }
  auto Placement = placeObjects(Accesses, Asked.Addresses);
  if (!Placement)
    return Placement.error();
  auto Report = reportTraffic(Accesses, *Path, *Placement, Asked.How, Asked.Warm,
                              otherPlacements(Accesses, *Placement));
  if (!Report)
    return unknown(Report.error());
  if (IsParallel)
    Report->Assumptions.emplace_back(Team > 1
                                         ? "each thread has a core; to begin and end a parallel "
                                           "region, or a loop in it, takes 1 us, of 0.3 to 5"
                                         : "all threads run one after the other on one core");
  addTraffic(*Report, Result.Counts);
  if (M && M->Timing.InCore) {
    auto Walks = pageWalks(Accesses, *Placement, M->Timing.InCore->Translations, Asked.Warm);
    if (!Walks)
      return unknown(Walks.error());
    auto Time = timeOf(Accesses, *Report, *M->Timing.InCore, Asked.Cores, *Walks, Team);
    if (!Time)
      return unknown(Time.error());
    Result.Time = std::move(*Time);
  }
  Result.Traffic = std::move(*Report);
  return std::nullopt;
}

void addErrorOfSource(CostIntervals &Costs) {
  // Nineteen of twenty kernels of programs in which data decide nothing were within this factor
  // (bench/results/2026-11-27-gpu-programs.md).
  static constexpr double Factor = 2.7;
  for (Interval *Each : {&Costs.TimeS, &Costs.EnergyJ}) {
    Each->Low = std::min(Each->Low, Each->Value / Factor);
    Each->High = std::max(Each->High, Each->Value * Factor);
  }
}

/// Corrects the time by loops, and what it costs, by measured runs. Error: one at other clocks, at
/// which no time of loops was predicted.
static std::optional<Error> knowLoops(const Machine &M, const std::vector<MeasuredRun> &Runs,
                                      PredictionDocument &Result) {
  const double ConstantW = M.constantPower(Result.Clocks).value_or(0);
  for (const MeasuredRun &Run : Runs)
    if (!Run.Clocks.sameClocks(Result.Clocks))
      return Error{"time by loops is corrected by runs at its own clocks alone", "",
                   "predict at the clocks of the run: --core-mhz", "--at"};
  const double ModelS = Result.Time->TimeS;
  Cost *C = Result.OnMachine ? &*Result.OnMachine : nullptr;
  const double ModelJ = C ? C->EnergyJ.Value : 0;
  if (!(ModelS > 0))
    return noTimeToCorrect(M);
  const ModelledRun Modelled{ModelS, [=](double S) { return ModelJ + ConstantW * (S - ModelS); }};
  std::vector<MeasuredRun> Known = Runs;
  for (MeasuredRun &Run : Known)
    if (!(Modelled.EnergyJ(Run.TimeS) > 0))
      Run.EnergyJ.reset(); // the profile has no energies
  const MeasuredModel Model(Known, [&](const Setting &) { return Modelled; });
  Result.Time->correct(Model.at(Result.Clocks).TimeS / ModelS,
                       factor95(Model.at(Result.Clocks).TimeError.Above));
  if (C)
    *C = correctedBy(Model, Result.Clocks, std::move(*C), Modelled);
  for (const MeasuredRun &Run : Runs)
    Result.Measured.push_back({Run, ModelS, ModelJ});
  return std::nullopt;
}

/// A pipeline by a law: its times have the law's scatter beside the model's.
static void addErrorOfLaw(const Machine &M, Cost &OnMachine, ProgramTime &Time) {
  const std::vector<PipelineStream> &Streams = M.Timing.InCore->Streams;
  if (Streams.empty() ||
      M.Sources.at(Streams.front().BytesPerS.Median.Source).Kind != SourceKind::Estimated)
    return;
  if (M.Fit.Quality && M.Fit.Quality->TimeError) {
    const double Factor = factor95(M.Fit.Quality->TimeError->Value);
    Time.LowS /= Factor;
    Time.HighS *= Factor;
  }
  OnMachine.Estimated.emplace_back("pipeline");
}

/// Adds time and energy; for a profile without costs nothing, if it has caches.
static std::optional<Error> addCost(const Machine &M, const std::vector<MeasuredRun> &Measured,
                                    PredictionDocument &Result) {
  const bool IsByLoops = Result.Time.has_value();
  Cost OnMachine =
      costOn(M, Result.Clocks, Result.Counts, IsByLoops ? std::vector<MeasuredRun>() : Measured);
  if (Measured.empty() && Result.LaunchTraffic &&
      Result.Counts.Values.contains("warp_instructions"))
    addErrorOfSource(OnMachine);
  if (Result.Time)
    addErrorOfLaw(M, OnMachine, *Result.Time);
  if (OnMachine.Missing.empty() && Result.Time)
    Result.OnMachine = costAt(std::move(OnMachine), Result.timeS(), Result.Time->Bound,
                              M.constantPower(Result.Clocks).value_or(0));
  else if (OnMachine.Missing.empty())
    Result.OnMachine = std::move(OnMachine);
  else if (!M.Topology.Caches.empty())
    Result.NotPriced = std::move(OnMachine.Missing);
  else
    return Error{"the profile has no cost for " + joined(OnMachine.Missing), "",
                 "add it to the profile, or predict for another machine", M.Name};
  if (Measured.empty())
    return std::nullopt;
  if (IsByLoops)
    return knowLoops(M, Measured, Result);
  if (!Result.OnMachine || Result.OnMachine->Measured.empty())
    return noTimeToCorrect(M);
  Result.Measured = Result.OnMachine->Measured;
  Result.MeasureNext = Result.OnMachine->MeasureNext;
  return std::nullopt;
}

/// Finds a number beyond the range of double: a product of large counts.
static std::optional<Error> checkFinite(const PredictionDocument &Document) {
  auto TooLarge = [&](const std::string &What) {
    return Error{What + " is larger than a floating-point number can be", "",
                 "give smaller values with --set", Document.Function};
  };
  for (const auto &[Class, Value] : Document.Counts.Values)
    if (!std::isfinite(Value.get_d()))
      return TooLarge(Class);
  for (const auto &[Class, Range] : Document.Counts.Ranges)
    if (!std::isfinite(Range.High.get_d()))
      return TooLarge(Class);
  if (Document.Time && !std::isfinite(Document.Time->TimeS))
    return TooLarge("the time");
  if (!Document.OnMachine)
    return std::nullopt;
  for (auto [What, Found] : {std::pair("the time", &Document.OnMachine->TimeS),
                             std::pair("the energy", &Document.OnMachine->EnergyJ),
                             std::pair("the power", &Document.OnMachine->PowerW)})
    if (!std::isfinite(Found->Value) || !std::isfinite(Found->Low) || !std::isfinite(Found->High))
      return TooLarge(What);
  return std::nullopt;
}

std::expected<PredictionDocument, Error> countOn(CountedEntry &Entry, EntryCounts Counted,
                                                 const PredictionTarget &Target,
                                                 const std::string &Name) {
  PredictionDocument Result;
  Result.Entry = Name;
  Result.Function = Entry.function().Demangled;
  Result.Snapshot = Entry.function().Snapshot;
  Result.Bindings = Counted.Bound.Given;
  Result.Bounds = Counted.Bound.Ranges;
  Result.Defaults = Counted.Bound.Defaults;
  Result.Passed = Counted.Bound.Passed;
  Result.IsInNumbers = Counted.IsInNumbers;
  if (Target.M)
    if (auto Bad = refuseOtherProcessor(*Target.M, Result.Function, Entry.isDevice(),
                                        Counted.Counts, Target.Scope))
      return std::unexpected(*Bad);
  Result.Counts = countsIn(std::move(Counted.Counts), Target.Scope);
  Result.Unknowns = std::move(Counted.Unknowns);
  if (Result.Counts.Parts.size() > 1)
    addLaunches(Entry, Counted.Bound, Counted.Sums, Target, Result);
  for (const auto &[Name, Times] : Result.Counts.LibraryCalls)
    if (const Function *Callee = Entry.lookup()(Name, Entry.function()))
      Result.Described.emplace(Name, Callee->Described);
  const Machine *M = Target.M ? &*Target.M : nullptr;
  if (Target.Asked && Counted.IsInNumbers) {
    const Error Why{"the program is too large to follow each of its accesses", "",
                    "ask for a function that does most of the work", ""};
    if (Target.Asked->IsExplicit)
      return std::unexpected(
          Error{"traffic is not known: " + Why.What, "", Why.Fix, Result.Function});
    Result.TrafficUnknown = Why.line();
  } else if (Target.Asked && Result.Counts.Unbound.empty())
    if (auto Bad = TrafficAdder{*Target.Asked, Entry, Counted.Bound, Result}.add(M))
      return std::unexpected(*Bad);
  return Result;
}

std::expected<PredictionDocument, Error> predict(CountedEntry &Entry, EntryCounts Counted,
                                                 const PredictionTarget &Target,
                                                 const std::string &Name) {
  auto Document = countOn(Entry, std::move(Counted), Target, Name);
  if (!Document)
    return Document;
  PredictionDocument &Result = *Document;
  const Machine *M = Target.M ? &*Target.M : nullptr;
  if (M) {
    if (M->Topology.Gpu && Entry.function().IsKernel) {
      std::map<std::string, Rational> Dimensions = Result.Defaults;
      Dimensions.insert(Result.Bindings.begin(), Result.Bindings.end());
      Result.Rounds =
          launchRounds(*M->Topology.Gpu, Dimensions, needsOf(Entry.function().Resources));
    }
    Result.Machine = M->Name;
    Result.Clocks = Target.Clocks;
    if (Result.Counts.Unbound.empty())
      if (auto Bad = addCost(*M, Target.Measured, Result))
        return std::unexpected(*Bad);
  }
  if (auto Bad = checkFinite(Result))
    return std::unexpected(*Bad);
  return Document;
}

} // namespace ergon
