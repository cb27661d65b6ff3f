//===- CommandPredict.cpp - ergon predict ---------------------------------===//

#include "model/energy/CacheRoofs.h"
#include "predict/profile/ProgramProfile.h"
#include "predict/text/Text.h"
#include "predict/tune/TuneEntries.h"
#include "tools/base/OpenedProgram.h"
#include "tools/base/Terminal.h"
#include "tools/lint/AdviceSources.h"
#include "tools/predict/PredictTables.h"
#include "tools/view/MeasuredView.h"
#include "tools/view/RunView.h"

#include <fmt/format.h>

#include <algorithm>

namespace ergon {

static void warnOfWraps(const PredictionDocument &Document) {
  for (const std::string &Place : Document.Counts.Wraps)
    fmt::print(stderr,
               "ergon: warning: {}: with these values a number does not fit its type and wraps "
               "around, or a loop has no end; no count of {} is exact\n",
               Place, Document.Function);
}

/// The class of most flops, and all of them.
static std::pair<std::string, double> flopsOf(const CountValues &Counts) {
  std::pair<std::string, double> Result;
  Rational Most = 0;
  for (const auto &[Class, Value] : Counts.Values)
    if (isFlops(Class)) {
      Result.second += Value.get_d();
      if (Value > Most) {
        Most = Value;
        Result.first = Class;
      }
    }
  return Result;
}

/// `137 Gflop · 19.6 GB from dram · 7 flop/B · 53 Gflop/s of 118 Gflop/s attainable`; empty where
/// nothing is counted.
static std::string workLine(const PredictionDocument &Document, const Machine *M) {
  std::vector<std::string> Parts;
  const auto [Class, Flops] = flopsOf(Document.Counts);
  if (Flops > 0)
    Parts.push_back(shortQuantity(Flops, "flop"));
  const auto Dram = Document.Counts.Values.find(std::string(DramBytes));
  if (Dram != Document.Counts.Values.end() && Dram->second > 0) {
    Parts.push_back(shortQuantity(Dram->second.get_d(), "B") +
                    (Document.Counts.DramIsRequested ? " requested" : " from dram"));
    if (Flops > 0)
      Parts.push_back(fmt::format("{:.3g} flop/B", Flops / Dram->second.get_d()));
  }
  const double TimeS = Document.OnMachine ? Document.OnMachine->TimeS.Value
                       : Document.Time    ? Document.Time->TimeS
                                          : 0;
  if (M && Flops > 0 && TimeS > 0) {
    double Attainable = 0;
    const std::map<std::string, double> Intensity = intensities(Document.Counts);
    for (const LevelRoof &Roof : cacheRoofs(*M, Document.Clocks, Class).Levels)
      if (auto Found = Intensity.find(Roof.Level); Found != Intensity.end()) {
        const double Here = Roof.attainable(Found->second);
        Attainable = Attainable > 0 ? std::min(Attainable, Here) : Here;
      }
    Parts.push_back(shortQuantity(Flops / TimeS, "flop/s") +
                    (Attainable > 0 && !Document.Counts.DramIsRequested
                         ? fmt::format(" of {} attainable", shortQuantity(Attainable, "flop/s"))
                         : ""));
  }
  std::string Line;
  for (const std::string &Part : Parts)
    Line += (Line.empty() ? "  " : " · ") + Part;
  return Line;
}

/// `1380 MHz would save 12.3 J (9 %) for 4 % more time: ergon tune`; empty where the default is as
/// good within its error, or where there is nothing to choose.
static std::string clockAdvice(const OpenedProgram &Opened, const PredictOptions &Options) {
  const PredictionTarget &Target = Opened.Records->target();
  if (!Target.M || Target.M->Settings.size() < 2 || Options.CoreMhz || Options.MemMhz ||
      Target.Scope != RunScope::All)
    return "";
  TuneQuery Query;
  Query.Functions = Options.Entry;
  Query.Entries = {Opened.Wanted.Entry};
  Query.Values = Opened.Entry->values();
  Query.Measured = Target.Measured;
  const auto Tuned = tune(Query, *Target.M, Opened.Records->records());
  if (!Tuned || Tuned->Entries.empty())
    return "";
  const TunedEntry &Entry = Tuned->Entries.front();
  const Choice &Best = Entry.Choices.at(Tuned->Goal);
  const auto Default = std::ranges::find(Entry.Options, Tuned->Default, &Option::Setting);
  const Option &Chosen = Entry.Options[Best.Best];
  if (Default == Entry.Options.end() || Chosen.EnergyJ >= Default->EnergyJ ||
      keepsDefault(Entry.Options, Best, Tuned->Default))
    return "";
  return fmt::format("{} MHz would save {} ({:.0f} %), {:+.0f} % time: ergon tune",
                     clocksText(Target.M->Settings[Chosen.Setting]),
                     shortQuantity(Default->EnergyJ - Chosen.EnergyJ, "J"),
                     100 * (1 - Chosen.EnergyJ / Default->EnergyJ),
                     100 * (Chosen.TimeS / Default->TimeS - 1));
}

/// A run on one screen.
static void printScreen(const OpenedProgram &Opened, PredictionDocument Document,
                        const PredictOptions &Options) {
  const PredictionTarget &Target = Opened.Records->target();
  const Machine *M = Target.M ? &*Target.M : nullptr;
  RecordStore &Store = Opened.Records->records().store();
  const std::string Work = workLine(Document, M), Clocks = clockAdvice(Opened, Options);
  TextLines Below = iterationLines(Document);
  if (!Work.empty())
    Below.insert(Below.begin(), Work);
  ProgramProfile Profile =
      profileOf(Opened.Entry->function(), Opened.Entry->lookup(), std::move(Document), M,
                {.By = ProfileBy::Loop,
                 .Scope = Target.Scope,
                 .Measured = Target.Measured,
                 .Advice = &Store});
  readSources(Profile.Advised, {});
  const FunctionRef &Ref = Store.refOf(Opened.Entry->recorded());
  RunTitle Title{.Program = titleOf(Profile.Whole, Opened.Entry->function(), Options.Sets),
                 .Directory = Ref.File->unit().Directory};
  static constexpr std::size_t CostliestLoops = 3;
  printLines(headLines(Profile, Title, useColor(stdout), Below));
  printLines(rowLines(Profile, Title, {.Calls = false, .Name = "loop"}, CostliestLoops,
                      useColor(stdout), sourceTextOf(Ref)));
  fmt::print("\n");
  printLines(noteLines(Profile, Title, /*IsWhole=*/false));
  if (!Clocks.empty())
    printLines({noteLine("clocks", Clocks)});
  fmt::print("  -v: counts, traffic of each level, what is assumed\n");
}

int runPredict(const PredictOptions &Options) {
  auto Opened = openProgram(Options, /*WithLines=*/!Options.Json && !Options.Verbose);
  if (!Opened)
    return complain(Opened.error());
  auto Document = Opened->answer(Options.Strict);
  if (!Document)
    return complain(Document.error());
  warnOfWraps(*Document);
  Opened->noticeOfFits();
  noticeDoubts(Document->Measured);
  const bool IsWhole = Document->Counts.Unbound.empty();
  const auto [Function, Unknowns] = std::pair(Document->Function, Document->Unknowns);
  if (Options.Json)
    fmt::print("{}", writePrediction(*Document));
  else if (Options.Verbose || !IsWhole)
    printTables(*Document, Opened->Entry->function(), Options.Sets,
                sourceTextOf(*Opened->Records->records().findRef(Opened->Wanted)));
  else
    printScreen(*Opened, std::move(*Document), Options);
  return IsWhole ? Done : reportUnbound(Function, Unknowns);
}

} // namespace ergon
