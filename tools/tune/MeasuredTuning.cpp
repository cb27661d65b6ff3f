//===- MeasuredTuning.cpp - ergon tune --measure --------------------------===//

#include "tools/tune/MeasuredTuning.h"
#include "predict/text/Text.h"
#include "tools/base/MeasuredOptions.h"
#include "tools/base/TemporaryFolder.h"
#include "tools/record/RuntimeRun.h"
#include "tools/tune/ClockControl.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

namespace ergon {

static bool isMeasured(const TuneQuery &Query, const Setting &Clocks) {
  return std::ranges::any_of(Query.Measured,
                             [&](const MeasuredRun &Run) { return Run.Clocks.sameClocks(Clocks); });
}

/// The setting of the next run; nothing where it would tell little.
static std::optional<Setting> nextSetting(const TuneQuery &Query, const Machine &M,
                                          const TuneDocument &Document) {
  if (Query.Measured.empty())
    return M.defaultSetting();
  if (Document.MeasureNext && !isMeasured(Query, *Document.MeasureNext))
    return Document.MeasureNext;
  return std::nullopt;
}

/// What a user does to make a run at \p Clocks.
static void printByHand(const TuneOptions &Options, const Machine &M, const Setting &Clocks) {
  for (const std::string &Command : clockCommands(M, Clocks))
    if (!Command.starts_with("srun "))
      fmt::print(stderr, "  {}\n", Command);
  std::string Folder = "run-" + clocksText(Clocks);
  std::ranges::replace(Folder, '/', '-');
  fmt::print(stderr, "  ergon run -d {} -- {}\n  and tune with --measured {} --at {}\n", Folder,
             fmt::join(Options.Command, " "), Folder, clocksText(Clocks));
}

/// Runs the program and reads what it took. Error: it failed, or left no record.
static std::expected<MeasuredRun, Error> runOnce(const TuneOptions &Options, const Machine &M,
                                                 const Setting &Clocks) {
  auto Folder = TemporaryFolder::make();
  if (!Folder)
    return std::unexpected(Folder.error());
  const std::string Path = Folder->path().string();
  const auto Ran = runWithRuntime(Options.Command, Path, Options.Runtime, Output::ToErrors);
  if (!Ran)
    return std::unexpected(Ran.error());
  if (Ran->Status != 0)
    return std::unexpected(Error{fmt::format("the program ended with status {}", Ran->Status), "",
                                 "let it run to its end", Options.Command.front()});
  MeasuredOptions Taken;
  Taken.Runs = {Path};
  Taken.At = {clocksText(Clocks)};
  auto Runs = readMeasured(Taken, M, Options.Entries.size() == 1 ? Options.Entries.front() : "");
  if (!Runs)
    return std::unexpected(Error{Runs.error().What, "", Runs.error().Fix, Options.Command.front()});
  Runs->front().Source = "--measure";
  return std::move(Runs->front());
}

/// What --dry-run prints: runs as the model expects them stand in for measured ones.
static std::expected<TuneDocument, Error> showPlan(const TuneOptions &Options, const Machine &M,
                                                   TuneQuery Query, const CountedRecords &From) {
  const std::vector<MeasuredRun> Given = Query.Measured;
  auto First = tune(Query, M, From);
  if (!First)
    return First;
  std::expected<TuneDocument, Error> Document = *First;
  for (unsigned K = 0; K != Options.MeasuredRuns; ++K) {
    const auto Next = nextSetting(Query, M, *Document);
    if (!Next)
      break;
    fmt::print(stderr, "run {} would be at {} MHz:\n", K + 1, clocksText(*Next));
    printByHand(Options, M, *Next);
    MeasuredRun &Expected = Query.Measured.emplace_back();
    Expected.Clocks = *Next;
    for (const TunedEntry &Entry : First->Entries)
      for (const Option &O : Entry.Options)
        if (First->Settings[O.Setting].sameClocks(*Next) && O.Candidate == 0) {
          Expected.TimeS += O.TimeS;
          Expected.EnergyJ = Expected.EnergyJ.value_or(0) + O.EnergyJ;
        }
    Document = tune(Query, M, From);
    if (!Document)
      return Document;
  }
  return First;
}

std::expected<TuneDocument, Error> tuneMeasured(const TuneOptions &Options, const Machine &M,
                                                TuneQuery Query, CountedRecords From) {
  if (!M.defaultSetting().CoreMhz)
    return std::unexpected(
        Error{"the profile has no settings to measure at", "", "tune without --measure", M.Name});
  if (Options.DryRun)
    return showPlan(Options, M, std::move(Query), From);
  auto Document = tune(Query, M, From);
  std::unique_ptr<ClockControl> Control;
  for (unsigned K = 0; Document && K != Options.MeasuredRuns; ++K) {
    const auto Next = nextSetting(Query, M, *Document);
    if (!Next)
      break;
    std::expected<void, Error> Set;
    if (!Control) {
      auto Opened = ClockControl::of(
          M, (std::filesystem::path(Options.Entry.Directory) / "tune.json").string());
      if (Opened)
        Control = std::move(*Opened);
      else
        Set = std::unexpected(Opened.error());
    }
    if (Set)
      Set = Control->set(*Next);
    if (!Set) {
      fmt::print(stderr, "ergon: {}\nby hand, for a run at {} MHz:\n", Set.error().line(),
                 clocksText(*Next));
      printByHand(Options, M, *Next);
      break;
    }
    fmt::print(stderr, "ergon: run {} of at most {}, at {} MHz\n", K + 1, Options.MeasuredRuns,
               clocksText(*Next));
    auto Run = runOnce(Options, M, *Next);
    if (!Run)
      return std::unexpected(Run.error());
    Query.Measured.push_back(std::move(*Run));
    Document = tune(Query, M, From);
  }
  return Document;
}

} // namespace ergon
