//===- PredictTables.cpp - a prediction in all its numbers ----------------===//

#include "tools/predict/PredictTables.h"
#include "formats/prediction/Demangle.h"
#include "predict/text/Text.h"
#include "tools/base/RateOptions.h"
#include "tools/predict/TrafficView.h"
#include "tools/view/MeasuredView.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ergon {

/// \p Intensity by level, where no more is said of traffic.
static void printCost(const Cost &C, const std::map<std::string, double> &Intensity) {
  fmt::print("  time    {}, bound by {}\n", interval(C.TimeS, "s"), C.Bound);
  if (C.hasEnergy()) {
    fmt::print("  energy  {}\n", interval(C.EnergyJ, "J"));
    fmt::print("  power   {}\n", interval(C.PowerW, "W"));
  } else {
    fmt::print("  energy  –  (the profile has no energies)\n");
  }
  for (const auto &[Level, Value] : Intensity)
    fmt::print("  W/Q     {:.4g} flop/B at {}\n", Value, Level);
  for (const auto &[Class, Joules] : C.BreakdownJ)
    if (Joules != 0)
      fmt::print("  {:>5.1f} % {}: {}\n", 100 * Joules / C.EnergyJ.Value, Class,
                 quantity(Joules, "J"));
  if (C.hasEnergy() && !C.Unpriced.empty())
    fmt::print("  without an energy in the profile, so not in the energy: {}\n",
               joined(C.Unpriced));
  if (!C.Untimed.empty())
    fmt::print("  without a throughput in the profile, so not in the time: {}\n",
               joined(C.Untimed));
  if (!C.ErrorNotStated.empty())
    fmt::print("  the profile states no error of these, so the intervals are without it: {}\n",
               joined(C.ErrorNotStated));
  if (!C.Estimated.empty())
    fmt::print("  estimated by a law and not measured, with its scatter in the intervals: {}\n",
               joined(C.Estimated));
  if (!C.NotCovered.empty())
    fmt::print(
        "  not in time and energy, as the profile is of the processor that runs the kernels: "
        "{}\n",
        joined(C.NotCovered));
}

/// `malloc`, `sqrt (12 times)`
static std::string callText(const std::string &Name, const Expr &Times) {
  const std::string Callee =
      shortName(Name.substr(Name.starts_with("call:") ? Name.find(':') + 1 : 0));
  return Times == Expr(1)
             ? Callee
             : fmt::format("{} ({} times)", Callee,
                           Times.constant() ? numeral(*Times.constant()) : toPretty(Times));
}

/// Calls by what descriptions say of them.
static void printLibraryCalls(const PredictionDocument &Document) {
  static constexpr std::pair<LibraryNote::Kind, const char *> Titles[] = {
      {LibraryNote::Kind::Counted, "calls that cost what is described in library-costs"},
      {LibraryNote::Kind::NotDescribed, "calls whose work is not described, which is left out"},
      {LibraryNote::Kind::Free, "calls that are free"}};
  for (const auto &[What, Title] : Titles) {
    std::map<std::string, std::vector<std::string>> ByReason;
    for (const auto &[Name, Times] : Document.Counts.LibraryCalls)
      if (auto Found = Document.Described.find(Name);
          Found != Document.Described.end() && Found->second.What == What)
        ByReason[What == LibraryNote::Kind::Counted ? "" : Found->second.Why].push_back(
            callText(Name, Times));
    if (ByReason.empty())
      continue;
    if (What == LibraryNote::Kind::Counted) {
      fmt::print("  {}: {}\n", Title, joined(ByReason.begin()->second));
      continue;
    }
    fmt::print("  {}\n", Title);
    for (const auto &[Reason, Names] : ByReason)
      fmt::print("    {}{}\n", joined(Names), Reason.empty() ? "" : "  (" + Reason + ")");
  }
}

static void printOpenCalls(const std::map<std::string, Expr> &Calls) {
  std::vector<std::string> Names;
  for (const auto &[Name, Times] : Calls)
    Names.push_back(callText(Name, Times));
  if (!Names.empty())
    fmt::print("  calls of unknown cost, which are left out: {}\n", joined(Names));
}

/// `  (3 to 5)` for a class that has an interval, `  (3 or more)` where it has no end.
static std::string range(const std::map<std::string, Bounds> &Ranges,
                         const std::map<std::string, Rational> &AtLeast, const std::string &Key) {
  if (auto Least = AtLeast.find(Key); Least != AtLeast.end())
    return fmt::format("  ({} or more)", numeral(Least->second));
  auto Found = Ranges.find(Key);
  return Found == Ranges.end()
             ? ""
             : fmt::format("  ({} to {})", numeral(Found->second.Low), numeral(Found->second.High));
}

/// `<<<(4, 1, 1), (256, 1, 1)>>>`
static std::string shapeText(const LaunchValues &Launch) {
  auto Extent = [](const std::array<std::optional<Rational>, 3> &Values) {
    auto Text = [](const std::optional<Rational> &Value) { return Value ? numeral(*Value) : "?"; };
    return fmt::format("({}, {}, {})", Text(Values[0]), Text(Values[1]), Text(Values[2]));
  };
  return fmt::format("<<<{}, {}>>>", Extent(Launch.Grid), Extent(Launch.Block));
}

/// `12 to 35`, `12`, `12 or more`
static std::string executedText(const ExecutedFlops &Flops) {
  if (!Flops.High)
    return numeral(Flops.Low) + " or more";
  return numeral(Flops.Low) + (Flops.Low == *Flops.High ? "" : " to " + numeral(*Flops.High));
}

/// The counts of the host's own code and of each kernel.
static void printParts(const std::vector<PartValues> &Parts) {
  for (const PartValues &Part : Parts) {
    fmt::print("  of these in {}{}\n", Part.Name,
               Part.Launches ? fmt::format(", {} launch{}", numeral(*Part.Launches),
                                           *Part.Launches == Rational(1) ? "" : "es")
                             : "");
    if (Part.First)
      fmt::print("    the first is {} at {}{}\n", shapeText(*Part.First),
                 Part.First->Location.text(), Part.First->IsEstimated ? ", estimated" : "");
    if (Part.First && Part.First->Executed)
      fmt::print("      it executes {} flops\n", executedText(*Part.First->Executed));
    for (const auto &[Key, Value] : Part.Values)
      fmt::print("    {:<20} {:>22}{}\n", Key, numeral(Value), range(Part.Ranges, {}, Key));
  }
}

static void printRounds(const LaunchRounds &Rounds) {
  if (Rounds.Resident.Blocks == 0) {
    fmt::print("  rounds  none: no block of {} threads can be launched\n", Rounds.ThreadsPerBlock);
    return;
  }
  const bool AreNeedsKnown = Rounds.Needs.complete();
  const std::string Needs =
      AreNeedsKnown ? fmt::format("{} registers a thread, {} B of shared memory a block",
                                  *Rounds.Needs.RegistersPerThread, *Rounds.Needs.SharedBytes)
                    : "registers and shared memory are not known";
  fmt::print(
      "  rounds  {}{}: {} blocks, {}{} at once ({} on each of {} multiprocessors, limited by "
      "{};\n          {}); {} in the last\n",
      Rounds.Blocks.rounds(), AreNeedsKnown ? "" : " or more", Rounds.Blocks.Blocks,
      AreNeedsKnown ? "" : "at most ", Rounds.Blocks.PerRound, Rounds.Resident.Blocks,
      Rounds.Multiprocessors, Rounds.Resident.LimitedBy, Needs, Rounds.Blocks.tail());
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

/// Values by the names that \p F has for them in the source: `argv[2]`, where the program reads
/// that.
static std::map<std::string, Rational> inSource(std::map<std::string, Rational> Values,
                                                const Function &F) {
  for (const Unknown &U : F.Unknowns)
    if (auto Found = Values.find(U.Symbol); U.Argument && Found != Values.end()) {
      Values.emplace(fmt::format("argv[{}]", U.Argument), Found->second);
      Values.erase(U.Symbol);
    }
  return Values;
}

std::vector<std::string> iterationLines(const PredictionDocument &Document) {
  if (!Document.PerIteration)
    return {};
  const IterationCost &Cost = *Document.PerIteration;
  std::vector<std::string> Loops, Takes;
  for (const std::string &Symbol : Cost.Loops)
    Loops.push_back(Symbol.substr(EndlessLoop.size()));
  if (Cost.TimeS)
    Takes.push_back(quantity(*Cost.TimeS, "s"));
  if (Cost.EnergyJ)
    Takes.push_back(quantity(*Cost.EnergyJ, "J"));
  if (Takes.empty())
    for (const auto &[Class, Value] : Cost.Counts)
      Takes.push_back(fmt::format("{} {}", toText(Expr(Value)), Class));
  return {fmt::format("  never ends: each iteration of the loop at {} takes {}", joined(Loops),
                      joined(Takes)),
          "  the rest is of a run up to the end of the first iteration"};
}

/// What unknowns of \p F are known to be from its code or from runs is not what was asked.
static std::map<std::string, Rational> asAsked(std::map<std::string, Rational> Values,
                                               const std::vector<std::string> &Sets) {
  std::erase_if(Values, [&](const auto &Value) {
    const std::string &Name = Value.first;
    return isUnknownSymbol(Name) && std::ranges::none_of(Sets, [&](const std::string &Set) {
             return Set.starts_with(Name + "=") || Set.starts_with(quoteSymbol(Name) + "=");
           });
  });
  return Values;
}

std::string titleOf(const PredictionDocument &Document, const Function &F,
                    const std::vector<std::string> &Sets) {
  const std::string Given = names(asAsked(inSource(Document.Bindings, F), Sets), Document.Bounds);
  return Document.Function + (Given.empty() ? "" : " with " + Given);
}

void printTables(const PredictionDocument &Document, const Function &F,
                 const std::vector<std::string> &Sets, const SourceText &TextAt) {
  const std::map<std::string, Rational> Values = inSource(Document.Bindings, F);
  const std::map<std::string, Rational> Asked = asAsked(Values, Sets);
  fmt::print("{}{}\n", titleOf(Document, F, Sets),
             Document.Machine.empty() ? "" : " on " + Document.Machine);
  if (const std::size_t Found = Values.size() - Asked.size())
    fmt::print("  {} unknown{} known from its code or runs (--json lists the values)\n", Found,
               Found == 1 ? " is" : "s are");
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
  for (const std::string &Line : iterationLines(Document))
    fmt::print("{}\n", Line);
  if (!Document.Defaults.empty())
    fmt::print("  dim3    {} (not given: CUDA's default)\n", names(Document.Defaults));
  if (Document.OnMachine)
    printCost(*Document.OnMachine, Document.Traffic || Document.LaunchTraffic
                                       ? std::map<std::string, double>()
                                       : Document.OnMachine->Intensity);
  if (Document.OnMachine && Document.OnMachine->hasEnergy() && Document.Rates.isGiven())
    fmt::print("  energy  {}\n", ratesText(Document.Rates, Document.OnMachine->EnergyJ.Value));
  printMeasured(Document.Measured, Document.MeasureNext);
  if (Document.Time) {
    if (!Document.OnMachine)
      fmt::print("  time    {}, bound by {}\n", interval(Document.timeS(), "s"),
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
               name(Document.Counts.KnownAs.at(Key)),
               range(Document.Counts.Ranges, Document.AtLeast, Key));
  for (const auto &[Key, Symbols] : Document.Counts.Needs)
    fmt::print("    {:<20} {:>22}  needs {}\n", Key, "?", joined({Symbols.begin(), Symbols.end()}));
  if (Document.Counts.Executed)
    fmt::print("  executes {} flops: with the steps of divisions, square roots and functions\n",
               executedText(*Document.Counts.Executed));
  printParts(Document.Counts.Parts);
  // Never silently free: what was counted by a description and not by its code.
  printLibraryCalls(Document);
  printOpenCalls(Document.Counts.LeftOut);
  printEstimates(Document.Estimates, TextAt);
  if (Whole && Document.Counts.DramIsRequested)
    fmt::print("  bytes_dram is what the code requests: at most that many bytes move. What is\n"
               "  measured can be given: --set bytes_dram=BYTES\n");
}

} // namespace ergon
