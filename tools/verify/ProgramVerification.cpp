//===- ProgramVerification.cpp - a program predicted and measured ---------===//

#include "tools/verify/ProgramVerification.h"
#include "predict/store/RunStore.h"
#include "predict/text/Suggest.h"
#include "tools/base/Opened.h"
#include "tools/base/TemporaryFolder.h"
#include "tools/record/RuntimeRun.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ergon {

//===----------------------------------------------------------------------===//
// What was measured
//===----------------------------------------------------------------------===//

static std::string pathOf(const RegionRun &Run) {
  return fmt::format("{}", fmt::join(Run.Path, "/"));
}

static bool isNamed(const RegionRun &Run, const std::string &Region) {
  const std::string Path = pathOf(Run);
  return Path == Region || Path.ends_with("/" + Region);
}

/// The process that ran the longest: the others are its children, or only began it.
static MeasuredPart wholeOf(const std::vector<ProcessRun> &ProcessRuns) {
  const ProcessRun &Longest = *std::ranges::max_element(ProcessRuns, {}, &ProcessRun::DurationS);
  MeasuredPart Result;
  Result.TimeS = Longest.DurationS;
  for (const RegionRun &Region : Longest.Regions)
    if (Region.Path.empty())
      Result.Threads = Region.Threads;
  for (const MeterRun &Meter : Longest.Meters)
    Result.EnergyJ.push_back({Meter.Name, Meter.Covers, Meter.EnergyJ, Meter.Why});
  Result.Unread = Longest.Unread;
  return Result;
}

std::expected<MeasuredPart, Error> measuredPart(const std::vector<ProcessRun> &ProcessRuns,
                                                const std::string &Region) {
  if (Region.empty())
    return wholeOf(ProcessRuns);
  MeasuredPart Result;
  Result.Times = Result.Threads = 0;
  std::map<std::string, MeasuredPart::Energy> ByMeter;
  std::vector<std::string> Names;
  for (const ProcessRun &Process : ProcessRuns)
    for (const RegionRun &Run : Process.Regions) {
      if (!isNamed(Run, Region)) {
        if (!Run.Path.empty() && std::ranges::find(Names, pathOf(Run)) == Names.end())
          Names.push_back(pathOf(Run));
        continue;
      }
      Result.Times += Run.Count;
      Result.Threads += Run.Threads;
      Result.TimeS += Run.TimeS;
      for (const MeterRun &Meter : Process.Meters)
        if (const auto Found = Run.EnergyJ.find(Meter.Name); Found != Run.EnergyJ.end()) {
          MeasuredPart::Energy &Target = ByMeter[Meter.Name];
          Target = {Meter.Name, Meter.Covers, Target.Joules + Found->second, Meter.Why};
        }
      Result.Unread = Process.Unread;
    }
  if (Result.Times == 0)
    return std::unexpected(Error{
        "no region of the run is called " + inQuotes(Region), "",
        Names.empty() ? "mark one: docs/runtime.md" : suggestName(Region, Names), "--region"});
  const double Times = double(Result.Times);
  Result.TimeS /= Times;
  for (auto &[Meter, Energy] : ByMeter) {
    Energy.Joules /= Times;
    Result.EnergyJ.push_back(std::move(Energy));
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// What is predicted
//===----------------------------------------------------------------------===//

/// Whether a run has counts: the program was instrumented.
static bool countsAnything(const std::vector<ProcessRun> &ProcessRuns) {
  return std::ranges::any_of(ProcessRuns,
                             [](const ProcessRun &Run) { return !Run.Functions.empty(); }) &&
         std::ranges::none_of(ProcessRuns,
                              [](const ProcessRun &PR) { return !PR.Uncounted.empty(); });
}

/// Predicts with what was given, and with what the run counted in its place.
static std::expected<VerifiedProgram, Error> predict(const VerifyOptions &Options,
                                                     Predictor &Records,
                                                     const MeasuredPart &Measured,
                                                     const std::string &Runs, bool Counts) {
  PredictionTarget Target = Records.target();
  if (Target.Asked)
    Target.Asked->Warm = double(Measured.Times) * Options.Calls > 1;
  VerifiedProgram Result;
  auto Entry = openEntry(Records, Options.Entry, Options.Sets);
  auto Given = Entry ? (*Entry)->predict(Target) : std::unexpected(Entry.error());
  if (!Given)
    return std::unexpected(Given.error());
  if (!Counts) {
    Result.Predicted = std::move(*Given);
    return Result;
  }
  std::vector<std::string> Paths = Options.Entry.Runs;
  Paths.push_back(Runs);
  auto Seen = Records.records().withRuns(Paths);
  if (!Seen)
    return std::unexpected(Seen.error());
  Predictor &Run = keep(Predictor(Target, std::move(*Seen)));
  Entry = openEntry(Run, Options.Entry, Options.Sets);
  auto WithRun = Entry ? (*Entry)->predict() : std::unexpected(Entry.error());
  if (!WithRun)
    return std::unexpected(WithRun.error());
  Result.FromRun.insert(Given->Counts.Unbound.begin(), Given->Counts.Unbound.end());
  for (const std::string &Text : WithRun->Counts.Unbound)
    Result.FromRun.erase(Text);
  Result.Predicted = std::move(*WithRun);
  std::vector<GivenValue> Values =
      (*Entry)->values(); // without `trips@…=3`, which a run counts too
  std::erase_if(Values, [](const GivenValue &Value) { return Value.Name.contains('@'); });
  (*Entry)->set(std::move(Values));
  auto Counted = (*Entry)->predict();
  if (!Counted)
    return std::unexpected(Counted.error());
  Result.Counted = std::move(Counted->Counts.Values);
  return Result;
}

std::expected<VerifiedProgram, Error> verifyProgram(const VerifyOptions &Options) {
  const auto Folder = TemporaryFolder::make();
  if (!Folder)
    return std::unexpected(Error{"no folder can be made for the run record", "",
                                 "let TMPDIR name a folder that can be written to", ""});
  // Reports errors in records or profile before a long run.
  PredictOptions Early;
  Early.Entry = Options.Entry;
  Early.Caches = Options.Caches;
  Early.Machine = Options.Machine;
  auto Records = openPredictor(Early);
  if (!Records)
    return std::unexpected(Records.error());
  auto Entry = openEntry(**Records, Options.Entry, {});
  auto Able = Entry ? (*Entry)->predict() : std::unexpected(Entry.error());
  if (!Able)
    return std::unexpected(Able.error());
  const auto Ran =
      runWithRuntime(Options.Command, Folder->path(), Options.Runtime, Output::ToErrors);
  if (!Ran)
    return std::unexpected(Ran.error());
  if (Ran->Status != 0)
    return std::unexpected(Error{
        fmt::format("the program failed (exit status {}), so its time says nothing", Ran->Status),
        "", "give a command that ends well", Options.Command[0]});
  auto Processes = readRun(Folder->path());
  if (!Processes)
    return std::unexpected(Processes.error());
  auto Measured = measuredPart(*Processes, Options.Region);
  if (!Measured)
    return std::unexpected(Measured.error());
  auto Result = predict(Options, **Records, *Measured, Folder->path(), countsAnything(*Processes));
  if (!Result)
    return Result;
  for (const ProcessRun &Process : *Processes)
    if (!Process.Uncounted.empty())
      Result->NotCounted = Process.Uncounted;
  Result->Calls = Options.Calls;
  Result->Measured = std::move(*Measured);
  return Result;
}

} // namespace ergon
