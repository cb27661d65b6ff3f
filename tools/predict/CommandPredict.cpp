//===- CommandPredict.cpp - ergon predict ---------------------------------===//

#include "formats/prediction/PredictionFormat.h"
#include "predict/text/Text.h"
#include "tools/base/Opened.h"
#include "tools/base/ProgramArguments.h"
#include "tools/predict/TrafficView.h"

#include <fmt/format.h>

namespace ergon {

/// \p Intensity by level, where no more is said of traffic.
static void printCost(const Cost &C, const std::map<std::string, double> &Intensity) {
  fmt::print("  time    {}, bound by {}\n", interval(C.TimeS, "s"), C.Bound);
  fmt::print("  energy  {}\n", interval(C.EnergyJ, "J"));
  fmt::print("  power   {}\n", interval(C.PowerW, "W"));
  for (const auto &[Level, Value] : Intensity)
    fmt::print("  W/Q     {:.4g} flop/B at {}\n", Value, Level);
  for (const auto &[Class, Joules] : C.BreakdownJ)
    if (Joules != 0)
      fmt::print("  {:>5.1f} % {}: {}\n", 100 * Joules / C.EnergyJ.Value, Class,
                 quantity(Joules, "J"));
  if (!C.Unpriced.empty())
    fmt::print("  without an energy in the profile, so not in the energy: {}\n",
               joined(C.Unpriced));
  if (!C.Untimed.empty())
    fmt::print("  without a throughput in the profile, so not in the time: {}\n",
               joined(C.Untimed));
  if (!C.ErrorNotStated.empty())
    fmt::print("  the profile states no error of these, so the intervals are without it: {}\n",
               joined(C.ErrorNotStated));
  if (!C.NotCovered.empty())
    fmt::print(
        "  not in time and energy, as the profile is of the processor that runs the kernels: "
        "{}\n",
        joined(C.NotCovered));
}

/// `What: malloc, sqrt (12 times)`
static void printCalls(const char *What, const std::map<std::string, Expr> &Calls) {
  std::vector<std::string> Names;
  for (const auto &[Name, Times] : Calls) {
    const std::string Callee = Name.substr(Name.starts_with("call:") ? Name.find(':') + 1 : 0);
    Names.push_back(Times == Expr(1) ? Callee
                                     : fmt::format("{} ({} times)", Callee, toPretty(Times)));
  }
  if (!Names.empty())
    fmt::print("  {}: {}\n", What, joined(Names));
}

static std::string numeral(const Rational &Value) {
  return Value.isInteger() ? Value.get_str() : fmt::format("{:.6g}", Value.get_d());
}

/// `  (3 to 5)` for a class that has an interval.
static std::string range(const std::map<std::string, Bounds> &Ranges, const std::string &Key) {
  auto Found = Ranges.find(Key);
  return Found == Ranges.end()
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
      fmt::print("    {:<20} {:>22}{}\n", Key, numeral(Value), range(Part.Ranges, Key));
  }
}

/// `10 (0 or more)`, `0.5 (0 to 1)`
static std::string range(const SymbolEstimate &E) {
  return fmt::format("{} ({} {})", numeral(E.Value), numeral(E.Low),
                     E.High ? "to " + numeral(*E.High) : "or more");
}

/// What the spread comes from, and how to bind it.
static void printEstimates(const std::vector<SymbolEstimate> &Estimates) {
  if (Estimates.empty())
    return;
  static constexpr std::size_t MaxShown = 10;
  fmt::print("  what is estimated, and its share of the spread\n");
  std::size_t Shown = 0;
  for (const SymbolEstimate &E : Estimates) {
    if (E.IsMinor || Shown == MaxShown)
      break;
    ++Shown;
    fmt::print("    {:>3.0f} %  --set {}={}  {}: {}\n", 100 * E.Spread, E.What.Symbol, range(E),
               E.Source, E.What.Why);
  }
  if (const std::size_t Others = Estimates.size() - Shown)
    fmt::print("    {}{} that move{} the answer by less{}\n", Others, Shown ? " more" : "",
               Others == 1 ? "s" : "", Shown == MaxShown ? "" : " than 1 %");
}

static void printRounds(const LaunchRounds &Rounds) {
  if (Rounds.Resident.Blocks == 0) {
    fmt::print("  rounds  none: no block of {} threads can be launched\n", Rounds.ThreadsPerBlock);
    return;
  }
  fmt::print("  rounds  {} or more: {} blocks, at most {} at once ({} on each of {} "
             "multiprocessors, limited by {};\n          registers and shared memory are not "
             "known); {} in the last\n",
             Rounds.Blocks.rounds(), Rounds.Blocks.Blocks, Rounds.Blocks.PerRound,
             Rounds.Resident.Blocks, Rounds.Multiprocessors, Rounds.Resident.LimitedBy,
             Rounds.Blocks.tail());
}

/// Why there is no energy, or no time either.
static void printNotPriced(const PredictionDocument &Document) {
  if (Document.NotPriced.empty())
    return;
  const std::string Classes = joined(Document.NotPriced);
  if (Document.Time)
    fmt::print("  energy is not known: the profile has no energy for {}\n", Classes);
  else if (!Document.TrafficUnknown.empty())
    fmt::print(
        "  time is not known, as traffic is not, nor energy: the profile has no cost for {}\n",
        Classes);
  else
    fmt::print("  time and energy are not known: the profile has no cost for {}\n", Classes);
}

static void printText(const PredictionDocument &Document) {
  std::string Given = names(Document.Bindings, Document.Bounds);
  fmt::print("{}{}{}\n", Document.Function, Given.empty() ? "" : " with " + Given,
             Document.Machine.empty() ? "" : " on " + Document.Machine);
  std::vector<std::string> Clocks;
  if (Document.Clocks.CoreMhz)
    Clocks.push_back(fmt::format("{:g} MHz core", *Document.Clocks.CoreMhz));
  if (Document.Clocks.MemMhz)
    Clocks.push_back(fmt::format("{:g} MHz memory", *Document.Clocks.MemMhz));
  if (!Clocks.empty())
    fmt::print("  at      {}\n", joined(Clocks));
  if (!Document.Estimates.empty())
    fmt::print("  {} unknown{} estimated\n", Document.Estimates.size(),
               Document.Estimates.size() == 1 ? " is" : "s are");
  if (!Document.Defaults.empty())
    fmt::print("  dim3    {} (not given: CUDA's default)\n", names(Document.Defaults));
  if (Document.OnMachine)
    printCost(*Document.OnMachine, Document.Traffic || Document.LaunchTraffic
                                       ? std::map<std::string, double>()
                                       : Document.OnMachine->Intensity);
  if (Document.Time) {
    if (!Document.OnMachine)
      fmt::print("  time    {}, bound by {}\n", quantity(Document.Time->TimeS, "s"),
                 Document.Time->Bound);
    for (const LoopTime &Loop : Document.Time->Loops)
      if (Loop.Time.S > 0.01 * Document.Time->TimeS) {
        fmt::print("    {:<16} {:>10}  {}; core {}", Loop.Location.text(),
                   quantity(Loop.Time.S, "s"), Loop.Time.Bound, quantity(Loop.CoreS, "s"));
        for (auto &[Level, S] : Loop.MemoryS)
          fmt::print(", {} {}", Level, quantity(S, "s"));
        fmt::print("\n");
      }
    for (auto &U : Document.Time->Unpriced)
      fmt::print("    unpriced {}\n", U);
  }
  printNotPriced(Document);
  if (Document.Traffic)
    printTraffic(*Document.Traffic, intensities(Document.Counts));
  if (Document.LaunchTraffic)
    printTraffic(*Document.LaunchTraffic, intensities(Document.Counts));
  if (!Document.TrafficUnknown.empty())
    fmt::print("  traffic is not known: {}\n", Document.TrafficUnknown);
  if (Document.Rounds)
    printRounds(*Document.Rounds);
  bool Whole = Document.Counts.Unbound.empty();
  fmt::print("  counts{}\n",
             Whole || Document.Counts.Values.empty() ? "" : " that need no more values");
  for (const auto &[Key, Value] : Document.Counts.Values)
    fmt::print("    {:<20} {:>22}  {}{}\n", Key, numeral(Value),
               name(Document.Counts.KnownAs.at(Key)), range(Document.Counts.Ranges, Key));
  for (const auto &[Key, Symbols] : Document.Counts.Needs)
    fmt::print("    {:<20} {:>22}  needs {}\n", Key, "?", joined({Symbols.begin(), Symbols.end()}));
  printParts(Document.Counts.Parts);
  // Never silently free: what was counted by a description and not by its code.
  printCalls("calls that cost what is described in library-costs", Document.Counts.LibraryCalls);
  printCalls("calls of unknown cost, which are left out", Document.Counts.LeftOut);
  printEstimates(Document.Estimates);
  if (Whole && Document.Counts.DramIsRequested)
    fmt::print("  bytes_dram is what the code requests: at most that many bytes move. What is\n"
               "  measured can be given: --set bytes_dram=BYTES\n");
}

static void warnOfWraps(const PredictionDocument &Document) {
  for (const std::string &Place : Document.Counts.Wraps)
    fmt::print(stderr,
               "ergon: warning: {}: with these values a number does not fit its type and wraps "
               "around, or a loop has no end; no count of {} is exact\n",
               Place, Document.Function);
}

int runPredict(const PredictOptions &Options) {
  auto Records = openPredictor(Options);
  if (!Records)
    return complain(Records.error());
  FunctionQuery Wanted = Options.Entry;
  if (Wanted.Entry.empty())
    Wanted.Entry = "main";
  auto Entry = openEntry(**Records, Wanted, Options.Sets);
  if (!Entry)
    return complain(Entry.error());
  if (auto Bad = setArguments(Options.Arguments, **Entry))
    return complain(*Bad);
  auto Document = Options.Strict ? (*Entry)->predict() : (*Entry)->estimate();
  if (!Document)
    return complain(Document.error());
  warnOfWraps(*Document);
  if (Options.Json)
    fmt::print("{}", writePrediction(*Document));
  else
    printText(*Document);
  if (Document->Counts.Unbound.empty())
    return Done;
  return reportUnbound(Document->Function, Document->Unknowns);
}

} // namespace ergon
