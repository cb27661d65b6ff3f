//===- CommandPredict.cpp - ergon predict ---------------------------------===//

#include "formats/PredictionFormat.h"
#include "tools/CacheOptions.h"
#include "tools/EntryCounts.h"
#include "tools/MachineStore.h"
#include "tools/Text.h"
#include "tools/TrafficView.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ergon {

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// \p Intensity by level, where no more is said of traffic.
static void printCost(const Cost &Of, const std::map<std::string, double> &Intensity) {
  fmt::print("  time    {}, bound by {}\n", interval(Of.TimeS, "s"), Of.Bound);
  fmt::print("  energy  {}\n", interval(Of.EnergyJ, "J"));
  fmt::print("  power   {}\n", interval(Of.PowerW, "W"));
  for (const auto &[Level, Value] : Intensity)
    fmt::print("  W/Q     {:.4g} flop/B at {}\n", Value, Level);
  for (const auto &[Class, Joules] : Of.BreakdownJ)
    if (Joules != 0)
      fmt::print("  {:>5.1f} % {}: {}\n", 100 * Joules / Of.EnergyJ.Value, Class,
                 quantity(Joules, "J"));
  if (!Of.Unpriced.empty())
    fmt::print("  without an energy in the profile, so not in the energy: {}\n",
               joined(Of.Unpriced));
  if (!Of.Untimed.empty())
    fmt::print("  without a throughput in the profile, so not in the time: {}\n",
               joined(Of.Untimed));
  if (!Of.ErrorNotStated.empty())
    fmt::print("  the profile states no error of these, so the intervals are without it: {}\n",
               joined(Of.ErrorNotStated));
  if (!Of.NotCovered.empty())
    fmt::print(
        "  not in time and energy, as the profile is of the processor that runs the kernels: "
        "{}\n",
        joined(Of.NotCovered));
}

/// Never silently free: what was counted by a description and not by its code.
static void printLibraryCalls(const std::map<std::string, Expr> &Calls) {
  std::vector<std::string> Names;
  for (const auto &[Name, Times] : Calls)
    Names.push_back(Times == Expr(1) ? Name : fmt::format("{} ({} times)", Name, toPretty(Times)));
  if (!Names.empty())
    fmt::print("  calls that cost what is described in library-costs: {}\n", joined(Names));
}

static std::string numeral(const Rational &Value) {
  return Value.isInteger() ? Value.get_str() : fmt::format("{:.6g}", Value.get_d());
}

/// `  (3 to 5)` for a class that has an interval.
static std::string range(const std::map<std::string, Bounds> &Between, const std::string &Key) {
  auto Found = Between.find(Key);
  return Found == Between.end()
             ? ""
             : fmt::format("  ({} to {})", numeral(Found->second.Low), numeral(Found->second.High));
}

/// The counts of the host's own code and of each kernel.
static void printParts(const std::vector<PartValues> &Parts) {
  for (const PartValues &Part : Parts) {
    fmt::print("  of these in {}{}\n", Part.Name,
               Part.Launches ? fmt::format(", {} launch{}", numeral(*Part.Launches),
                                           *Part.Launches == Rational(1) ? "" : "es")
                             : "");
    for (const auto &[Key, Value] : Part.Values)
      fmt::print("    {:<20} {:>22}{}\n", Key, numeral(Value), range(Part.Between, Key));
  }
}

static void printRounds(const LaunchRounds &Of) {
  if (Of.Resident.Blocks == 0) {
    fmt::print("  rounds  none: no block of {} threads can be launched\n", Of.ThreadsPerBlock);
    return;
  }
  fmt::print("  rounds  {} or more: {} blocks, at most {} at once ({} on each of {} "
             "multiprocessors, limited by {};\n          registers and shared memory are not "
             "known); {} in the last\n",
             Of.Blocks.rounds(), Of.Blocks.Blocks, Of.Blocks.PerRound, Of.Resident.Blocks,
             Of.Multiprocessors, Of.Resident.LimitedBy, Of.Blocks.tail());
}

static void printText(const PredictionDocument &Document) {
  std::string Given = names(Document.Bindings, Document.Between);
  fmt::print("{}{}{}\n", Document.Function, Given.empty() ? "" : " with " + Given,
             Document.Machine.empty() ? "" : " on " + Document.Machine);
  if (Document.At.CoreMhz || Document.At.MemMhz)
    fmt::print("  at      {:g} MHz core, {:g} MHz memory\n", Document.At.CoreMhz.value_or(NAN),
               Document.At.MemMhz.value_or(NAN));
  if (!Document.Defaults.empty())
    fmt::print("  dim3    {} (not given: CUDA's default)\n", names(Document.Defaults));
  if (Document.OnMachine)
    printCost(*Document.OnMachine, Document.Traffic || Document.LaunchTraffic
                                       ? std::map<std::string, double>()
                                       : Document.OnMachine->Intensity);
  if (!Document.NotPriced.empty())
    fmt::print("  time and energy are not known: the profile has no cost for {}\n",
               joined(Document.NotPriced));
  if (Document.Traffic)
    printTraffic(*Document.Traffic, intensities(Document.Counts));
  if (Document.LaunchTraffic)
    printTraffic(*Document.LaunchTraffic, intensities(Document.Counts));
  if (!Document.TrafficUnknown.empty())
    fmt::print("  traffic is not known: {}\n", Document.TrafficUnknown);
  if (Document.Rounds)
    printRounds(*Document.Rounds);
  bool Whole = Document.Counts.Unbound.empty();
  fmt::print("  counts{}\n", Whole ? "" : " that need no more values");
  for (const auto &[Key, Value] : Document.Counts.Values)
    fmt::print("    {:<20} {:>22}  {}{}\n", Key, numeral(Value),
               name(Document.Counts.KnownAs.at(Key)), range(Document.Counts.Between, Key));
  for (const auto &[Key, Symbols] : Document.Counts.Needs)
    fmt::print("    {:<20} {:>22}  needs {}\n", Key, "?", joined({Symbols.begin(), Symbols.end()}));
  printParts(Document.Counts.Parts);
  printLibraryCalls(Document.Counts.LibraryCalls);
  if (Whole && Document.Counts.DramIsRequested)
    fmt::print("  bytes_dram is what the code requests: at most that many bytes move. What is\n"
               "  measured can be given: --set bytes_dram=BYTES\n");
}

//===----------------------------------------------------------------------===//
// Prediction
//===----------------------------------------------------------------------===//

static std::expected<Setting, Error> chooseSetting(const Machine &M,
                                                   const PredictOptions &Options) {
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
  const PredictOptions &Options;
  const CountedEntry &Entry;
  const Bindings &Bound;
  PredictionDocument &Into;

  std::optional<Error> add(const Machine *M);

private:
  std::optional<Error> unknown(const TrafficError &Why);
  std::optional<Error> addOfHost();
  std::optional<Error> addOfLaunch(const DeviceCaches &Through);
};
} // namespace

/// An error where traffic was asked for, else a remark.
std::optional<Error> TrafficAdder::unknown(const TrafficError &Why) {
  if (Asked.IsExplicit)
    return Error{"traffic is not known: " + Why.What, "", Why.Mend, Into.Function};
  Into.TrafficUnknown = Error{Why.What, "", Why.Mend, ""}.line();
  return std::nullopt;
}

std::optional<Error> TrafficAdder::add(const Machine *M) {
  if (Entry.function().IsKernel && Asked.OfDevice) {
    if (!Options.Caches.Places.empty() || Options.Caches.Cores != 1)
      return Error{"--place and --cores are for code of a host", "",
                   "leave them out: objects of a kernel start on a line, and all multiprocessors "
                   "are at work",
                   Into.Function};
    if (auto Through = deviceCaches(*M))
      return addOfLaunch(*Through);
  }
  if (!Entry.function().IsKernel && Into.Counts.Parts.empty() && !Asked.OfDevice)
    return addOfHost();
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

std::optional<Error> TrafficAdder::addOfHost() {
  auto Path = pathOfOneCore(Asked.Caches, Options.Caches.Cores);
  if (!Path)
    return unknown(Path.error());
  AccessProgram Accesses = Entry.accesses(Bound);
  if (!Accesses.Unbound.empty() && Asked.IsExplicit && Bound.Between.empty()) {
    for (const std::string &Symbol : Accesses.Unbound) { // exit status 3
      Into.Counts.Unbound.push_back(Symbol);
      Into.Unknowns.push_back(Entry.explain(Symbol));
    }
    return std::nullopt;
  }
  auto At = placeObjects(Accesses, Options.Caches.Places);
  if (!At)
    return At.error();
  auto Report = reportTraffic(Accesses, *Path, *At, Asked.How);
  if (!Report)
    return unknown(Report.error());
  if (auto Threads = Bound.Given.find("omp.threads");
      Threads != Bound.Given.end() && Threads->second > Rational(1))
    Report->Assumptions.emplace_back("all threads run one after the other on one core");
  addTraffic(*Report, Into.Counts);
  Into.Traffic = std::move(*Report);
  return std::nullopt;
}

/// Time and energy; without some, where the profile at least has told of caches.
static std::optional<Error> addCost(const Machine &M, PredictionDocument &Into) {
  Cost OnMachine = costOn(M, Into.At, Into.Counts);
  if (OnMachine.Missing.empty())
    Into.OnMachine = std::move(OnMachine);
  else if (!M.Caches.empty())
    Into.NotPriced = std::move(OnMachine.Missing);
  else
    return Error{"the profile has no cost for " + joined(OnMachine.Missing), "",
                 "add it to the profile, or predict for another machine", M.Name};
  return std::nullopt;
}

static std::expected<PredictionDocument, Error> predict(const PredictOptions &Options) {
  std::optional<Machine> M;
  if (!Options.Machine.empty()) {
    auto Loaded = loadMachine(Options.Machine);
    if (!Loaded)
      return std::unexpected(Loaded.error());
    M = std::move(*Loaded);
  }
  auto Asked = readTrafficOptions(Options.Caches, M ? &*M : nullptr);
  if (!Asked)
    return std::unexpected(Asked.error());
  auto Opened = CountedEntry::open(Options.Entry, *Asked ? Detail::All : Detail::Costs);
  if (!Opened)
    return std::unexpected(Opened.error());
  CountedEntry &Entry = *keep(std::move(*Opened));
  auto Counted = Entry.counts(Options.Sets);
  if (!Counted)
    return std::unexpected(Counted.error());

  PredictionDocument Result;
  Result.Entry = Options.Entry.Entry;
  Result.Function = Entry.function().Demangled;
  Result.Snapshot = Entry.function().Snapshot;
  Result.Bindings = Counted->Bound.Given;
  Result.Between = Counted->Bound.Between;
  Result.Defaults = Counted->Bound.Defaults;
  Result.Counts = std::move(Counted->Counts);
  Result.Unknowns = std::move(Counted->Unknowns);
  if (*Asked && Result.Counts.Unbound.empty())
    if (auto Bad =
            TrafficAdder{**Asked, Options, Entry, Counted->Bound, Result}.add(M ? &*M : nullptr))
      return std::unexpected(*Bad);
  if (!M)
    return Result;

  auto At = chooseSetting(*M, Options);
  if (!At)
    return std::unexpected(At.error());
  if (M->Gpu && Entry.function().IsKernel) {
    std::map<std::string, Rational> Dimensions = Result.Defaults;
    Dimensions.insert(Result.Bindings.begin(), Result.Bindings.end());
    Result.Rounds = launchRounds(*M->Gpu, Dimensions);
  }
  Result.Machine = M->Name;
  Result.At = *At;
  if (Result.Counts.Unbound.empty())
    if (auto Bad = addCost(*M, Result))
      return std::unexpected(*Bad);
  return Result;
}

int runPredict(const PredictOptions &Options) {
  auto Document = predict(Options);
  if (!Document)
    return complain(Document.error());
  if (Options.Json)
    fmt::print("{}", writePrediction(*Document));
  else
    printText(*Document);
  if (Document->Counts.Unbound.empty())
    return Done;
  return reportUnbound(Document->Function, Document->Unknowns);
}

} // namespace ergon
