//===- EntryPrediction.cpp - what an entry will cost ----------------------===//

#include "predict/answer/EntryPrediction.h"
#include "model/machine/PipelineClock.h"
#include "predict/text/Text.h"

#include <cmath>
#include <string>
#include <utility>

namespace ergon {

static std::expected<Setting, Error> chooseSetting(const Machine &M, const TargetOptions &Options) {
  if (!Options.CoreMhz && !Options.MemMhz)
    return M.defaultSetting();
  if (const Setting *Found = M.findSetting(Options.CoreMhz, Options.MemMhz))
    return *Found;
  return std::unexpected(Error{"the profile has no one setting with these clocks", "",
                               "see `ergon machine show " + M.Name + "`", M.Name});
}

namespace {
/// Predicts traffic and puts it into the document and its counts.
struct TrafficAdder {
  const TrafficRequest &Asked;
  const CountedEntry &Entry;
  const Bindings &Bound;
  PredictionDocument &Into;

  std::optional<Error> add(const Machine *M);

private:
  std::optional<Error> unknown(const Error &Why);
  std::optional<Error> addOfHost(const Machine *M);
  std::optional<Error> addOfLaunch(const DeviceCaches &Through);
};
} // namespace

/// An error where traffic was asked for, else a remark.
std::optional<Error> TrafficAdder::unknown(const Error &Why) {
  if (Asked.IsExplicit)
    return Error{"traffic is not known: " + Why.What, "", Why.Fix, Into.Function};
  Into.TrafficUnknown = Error{Why.What, "", Why.Fix, ""}.line();
  return std::nullopt;
}

std::optional<Error> TrafficAdder::add(const Machine *M) {
  if (Entry.function().IsKernel && Asked.OfDevice) {
    if (!Asked.Places.empty() || Asked.Cores != 1)
      return Error{"--place and --cores are for code of a host", "",
                   "leave them out: objects of a kernel start on a line, and all multiprocessors "
                   "are at work",
                   Into.Function};
    if (auto Through = deviceCaches(*M))
      return addOfLaunch(*Through);
  }
  if (!Entry.function().IsKernel && Into.Counts.Parts.empty() && !Asked.OfDevice)
    return addOfHost(M);
  if (!Asked.IsExplicit)
    return std::nullopt;
  return unknown({"it is predicted for a kernel on a GPU whose caches are known, and for code that "
                  "launches none on a host's caches",
                  "predict for such an entry and --machine"});
}

std::optional<Error> TrafficAdder::addOfLaunch(const DeviceCaches &Through) {
  LaunchSize Launch;
  for (const auto *Given : {&Bound.Defaults, &Bound.Given})
    for (std::size_t Axis = 0; Axis != 3; ++Axis)
      for (auto [Kind, Of] : {std::pair("grid.", &Launch.Grid), std::pair("block.", &Launch.Block)})
        if (auto Found = Given->find(Kind + std::string(1, "xyz"[Axis])); Found != Given->end())
          (*Of)[Axis] = Found->second.get_num().get_si();
  auto Report = reportDeviceTraffic(Entry.accesses(Bound), Launch, Through);
  if (!Report)
    return unknown(Report.error());
  addTraffic(*Report, Into.Counts);
  Into.LaunchTraffic = std::move(*Report);
  return std::nullopt;
}

std::optional<Error> TrafficAdder::addOfHost(const Machine *M) {
  auto Path = pathOfOneCore(Asked.Caches, Asked.Cores);
  if (!Path)
    return unknown(Path.error());
  AccessProgram Accesses = Entry.accesses(Bound);
  // Where time follows from traffic, there is none either.
  const bool IsNeeded = Asked.IsExplicit || (M && M->Timing.InCore);
  if (!Accesses.Unbound.empty() && IsNeeded && Bound.Between.empty()) {
    for (const std::string &Symbol : Accesses.Unbound) { // exit status 3
      Into.Counts.Unbound.push_back(Symbol);
      Into.Unknowns.push_back(Entry.explain(Symbol));
    }
    return std::nullopt;
  }
  auto At = placeObjects(Accesses, Asked.Places);
  if (!At)
    return At.error();
  auto Report =
      reportTraffic(Accesses, *Path, *At, Asked.How, Asked.Warm, otherPlacements(Accesses, *At));
  if (!Report)
    return unknown(Report.error());
  if (auto Threads = Bound.Given.find("omp.threads");
      Threads != Bound.Given.end() && Threads->second > Rational(1))
    Report->Assumptions.emplace_back("all threads run one after the other on one core");
  addTraffic(*Report, Into.Counts);
  if (M && M->Timing.InCore) {
    auto Walks = pageWalks(Accesses, *At, M->Timing.InCore->Translations, Asked.Warm);
    if (!Walks)
      return unknown(Walks.error());
    auto Time = timeOf(Accesses, *Report, *M->Timing.InCore, Asked.Cores, *Walks);
    if (!Time)
      return unknown(Time.error());
    Into.Time = std::move(*Time);
  }
  Into.Traffic = std::move(*Report);
  return std::nullopt;
}

/// Time and energy; without some, where the profile at least has told of caches.
static std::optional<Error> addCost(const Machine &M, PredictionDocument &Into) {
  Cost OnMachine = costOn(M, Into.At, Into.Counts);
  if (OnMachine.Missing.empty() && Into.Time)
    Into.OnMachine = costAt(std::move(OnMachine), Into.Time->TimeS, Into.Time->Bound,
                            M.constantPower(Into.At).value_or(0));
  else if (OnMachine.Missing.empty())
    Into.OnMachine = std::move(OnMachine);
  else if (!M.Topology.Caches.empty())
    Into.NotPriced = std::move(OnMachine.Missing);
  else
    return Error{"the profile has no cost for " + joined(OnMachine.Missing), "",
                 "add it to the profile, or predict for another machine", M.Name};
  return std::nullopt;
}

/// What no number of the machine's can say, if anything is: a product of many large counts.
static std::optional<Error> checkFinite(const PredictionDocument &Of) {
  auto TooLarge = [&](const std::string &What) {
    return Error{What + " is larger than a floating-point number can be", "",
                 "give smaller values with --set", Of.Function};
  };
  for (const auto &[Class, Value] : Of.Counts.Values)
    if (!std::isfinite(Value.get_d()))
      return TooLarge(Class);
  for (const auto &[Class, Range] : Of.Counts.Between)
    if (!std::isfinite(Range.High.get_d()))
      return TooLarge(Class);
  if (Of.Time && !std::isfinite(Of.Time->TimeS))
    return TooLarge("the time");
  if (!Of.OnMachine)
    return std::nullopt;
  for (auto [What, Found] : {std::pair("the time", &Of.OnMachine->TimeS),
                             std::pair("the energy", &Of.OnMachine->EnergyJ),
                             std::pair("the power", &Of.OnMachine->PowerW)})
    if (!std::isfinite(Found->Value) || !std::isfinite(Found->Low) || !std::isfinite(Found->High))
      return TooLarge(What);
  return std::nullopt;
}

std::expected<PredictionTarget, Error> targetOf(std::optional<Machine> M,
                                                const TargetOptions &Options) {
  PredictionTarget Result{std::move(M), {}, {}};
  if (Result.M) {
    auto Chosen = chooseSetting(*Result.M, Options);
    if (!Chosen)
      return std::unexpected(Chosen.error());
    Result.At = std::move(*Chosen);
    if (Result.M->Timing.InCore)
      Result.M->Timing.InCore = pipelineAt(*Result.M, Result.At);
  }
  auto Asked = requestTraffic(Options.Traffic, Result.M ? &*Result.M : nullptr);
  if (!Asked)
    return std::unexpected(Asked.error());
  Result.Asked = std::move(*Asked);
  return Result;
}

std::expected<PredictionDocument, Error> predict(const CountedEntry &Entry, EntryCounts Counted,
                                                 const PredictionTarget &On,
                                                 const std::string &Name) {
  PredictionDocument Result;
  Result.Entry = Name;
  Result.Function = Entry.function().Demangled;
  Result.Snapshot = Entry.function().Snapshot;
  Result.Bindings = Counted.Bound.Given;
  Result.Between = Counted.Bound.Between;
  Result.Defaults = Counted.Bound.Defaults;
  Result.Counts = std::move(Counted.Counts);
  Result.Unknowns = std::move(Counted.Unknowns);
  const Machine *M = On.M ? &*On.M : nullptr;
  if (On.Asked && Result.Counts.Unbound.empty())
    if (auto Bad = TrafficAdder{*On.Asked, Entry, Counted.Bound, Result}.add(M))
      return std::unexpected(*Bad);
  if (M) {
    if (M->Topology.Gpu && Entry.function().IsKernel) {
      std::map<std::string, Rational> Dimensions = Result.Defaults;
      Dimensions.insert(Result.Bindings.begin(), Result.Bindings.end());
      Result.Rounds = launchRounds(*M->Topology.Gpu, Dimensions);
    }
    Result.Machine = M->Name;
    Result.At = On.At;
    if (Result.Counts.Unbound.empty())
      if (auto Bad = addCost(*M, Result))
        return std::unexpected(*Bad);
  }
  if (auto Bad = checkFinite(Result))
    return std::unexpected(*Bad);
  return Result;
}

} // namespace ergon
