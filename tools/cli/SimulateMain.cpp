//===- SimulateMain.cpp - ergon-simulate ----------------------------------===//
//
// What `ergon simulate` runs: reads a scenario, costs it by the model, runs it on
// SimGrid, and shows both.
//
//===----------------------------------------------------------------------===//

#include "formats/cluster/ScenarioFormat.h"
#include "formats/cluster/SimulationFormat.h"
#include "formats/json/TextFile.h"
#include "formats/profile/PlatformFormat.h"
#include "model/energy/Cost.h"
#include "predict/store/MachineStore.h"
#include "predict/store/ParsedFile.h"
#include "simulation/Simulation.h"
#include "tools/base/Opened.h"
#include "tools/base/SetOptions.h"
#include "tools/base/TemporaryFolder.h"
#include "tools/base/Terminal.h"
#include "tools/cli/Options.h"
#include "tools/predict/SimulationPlot.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>

namespace fs = std::filesystem;

namespace ergon {

namespace {
/// Machines and records of a scenario. Paths in it start at its own folder.
class Sources {
public:
  explicit Sources(const std::string &File) : Folder(fs::path(File).parent_path()) {}
  ScenarioSources functions();
  /// Of the last entry that had unbound symbols, if one had.
  std::optional<std::pair<std::string, std::vector<Unknown>>> Unbound;

private:
  fs::path Folder;
  std::expected<PredictedRun, Error> predict(const RecordQuery &Query, const Machine *M,
                                             const Setting &Clocks);
};
} // namespace

ScenarioSources Sources::functions() {
  return {[this](const std::string &Name) {
            const bool IsFile = Name.contains('/') || Name.ends_with(".json");
            return loadMachine(IsFile ? "./" / Folder / Name : fs::path(Name));
          },
          [this](const RecordQuery &Query, const Machine *M, const Setting &Clocks) {
            return predict(Query, M, Clocks);
          }};
}

std::expected<PredictedRun, Error> Sources::predict(const RecordQuery &Query, const Machine *M,
                                                    const Setting &Clocks) {
  RecordSource From{.Directory = Folder / Query.Directory};
  for (const std::string &Library : Query.Libraries)
    From.Libraries.push_back(Folder / Library);
  auto Records = openRecords(From);
  if (!Records)
    return std::unexpected(Records.error());
  auto Found = (*Records)->find({Query.Entry, Query.Snapshot, Query.Unit, Query.Target});
  if (!Found)
    return std::unexpected(Found.error());
  CountedEntry &Entry = *keep(std::move(*Found));
  auto Values = readSets(Query.Sets);
  auto Counted = Values ? Entry.counts(*Values) : std::unexpected(Values.error());
  if (!Counted)
    return std::unexpected(Counted.error());
  if (!Counted->Counts.Unbound.empty()) {
    Unbound = {Entry.function().Demangled, Counted->Unknowns};
    return std::unexpected(Error{"symbols have no value", "", "give them in set", ""});
  }
  PredictedRun Run;
  for (const auto &[Class, Value] : Counted->Counts.Values)
    Run.Counts[Class] = Value.get_d();
  if (!M)
    return Run;
  const Cost OnMachine = costOn(*M, Clocks, Counted->Counts);
  if (!OnMachine.Missing.empty())
    return std::unexpected(Error{"the profile has no cost for " + OnMachine.Missing.front(), "",
                                 "add it to the profile, or simulate another machine", M->Name});
  Run.TimeS = OnMachine.TimeS.Value;
  Run.EnergyJ = OnMachine.EnergyJ.Value;
  return Run;
}

static void printCalibrated(const CalibratedKernel &Kernel) {
  fmt::print("  {} on {}: {} blocks, {} at once ({}): {} rounds, {} blocks in the last\n",
             Kernel.Name, Kernel.Text, Kernel.Blocks.Blocks, Kernel.Blocks.PerRound,
             Kernel.AtOnceFrom, Kernel.Blocks.rounds(), Kernel.Blocks.tail());
  fmt::print("    a {:.6g} s, b {:.6g} s, E_b {:.6g} J, P_s {:.6g} W; a round {:.6g} s, {:.6g} J, "
             "{:.6g} W\n",
             Kernel.Calibration.Cost.PerBlockS, Kernel.Calibration.Cost.FixedS,
             Kernel.Calibration.Cost.PerBlockJ, Kernel.Calibration.Cost.StaticW, Kernel.Round.TimeS,
             Kernel.Round.EnergyJ, Kernel.Round.power());
  fmt::print("    worst error over the measurements: time {:.3g} %, energy {:.3g} %\n",
             100 * Kernel.Calibration.WorstTime, 100 * Kernel.Calibration.WorstEnergy);
}

static void printText(const SimulationDocument &Document) {
  fmt::print("{}\n", Document.Subject.Name);
  fmt::print("  {:<10} {:>16} {:>16} {:>12}\n", "", "simulated", "analytic", "apart");
  auto Line = [](const char *Name, double Simulated, double Analytic, double Apart) {
    fmt::print("  {:<10} {:>16.9g} {:>16.9g} {:>10.2g} %\n", Name, Simulated, Analytic,
               100 * Apart);
  };
  Line("makespan s", Document.OnSimGrid.Result.MakespanS, Document.Analytic.MakespanS,
       Document.timeDifference());
  Line("energy J", Document.OnSimGrid.Result.energy(), Document.Analytic.energy(),
       Document.energyDifference());
  fmt::print("\n  {:<20} {:>14} {:>14} {:>6} {:>12} {:>10} {:>10}\n", "host", "simulated J",
             "analytic J", "slots", "busy slot·s", "least W", "most W");
  for (std::size_t P = 0; P < Document.Subject.Steps.Processors.size(); ++P) {
    const ProcessorOutcome &Outcome = Document.OnSimGrid.Result.Processors[P];
    double Least = INFINITY, Most = 0;
    for (const PowerStep &Step : Document.OnSimGrid.Power[P]) {
      Least = std::min(Least, Step.PowerW);
      Most = std::max(Most, Step.PowerW);
    }
    fmt::print("  {:<20} {:>14.8g} {:>14.8g} {:>6} {:>12.6g} {:>10} {:>10}\n",
               Document.Subject.Steps.Processors[P].Name, Outcome.EnergyJ,
               Document.Analytic.Processors[P].EnergyJ, Document.Subject.Steps.kindOf(P).Cores,
               Outcome.BusyS, Most == 0 ? "-" : fmt::format("{:.5g}", Least),
               Most == 0 ? "-" : fmt::format("{:.5g}", Most));
  }
  if (!Document.Subject.Calibrated.empty())
    fmt::print("\n");
  for (const CalibratedKernel &Kernel : Document.Subject.Calibrated)
    printCalibrated(Kernel);
  for (const std::string &Note : Document.Subject.Notes)
    fmt::print("  note: {}\n", Note);
}

static std::optional<Error> writeFile(const std::string &Path, const std::string &Text) {
  std::ofstream File(Path, std::ios::binary);
  File << Text;
  File.close();
  if (File)
    return std::nullopt;
  return Error{"cannot be written", "", "give a path in a folder that can be written to", Path};
}

static int runSimulation(const SimulateOptions &Options) {
  Sources From(Options.File);
  const auto Read = parseFile(
      Options.File, [&](std::string_view Text) { return parseScenario(Text, From.functions()); });
  if (!Read && From.Unbound)
    return reportUnbound(From.Unbound->first, From.Unbound->second);
  if (!Read)
    return complain(Read.error());
  // SimGrid reads a file: the one that is asked for, or one that goes afterwards.
  const auto Folder = TemporaryFolder::make();
  if (Options.Export.empty() && !Folder)
    return complain(Folder.error());
  const std::string Platform =
      Options.Export.empty() ? (Folder->path() / "platform.xml").string() : Options.Export;
  if (auto Bad = writeFile(Platform, writePlatform(Read->Steps)))
    return complain(*Bad);
  auto Simulated = simulate(Read->Steps, Platform);
  if (!Simulated)
    return complain({"SimGrid cannot simulate this: " + Simulated.error().What, "",
                     Simulated.error().Fix, Options.File});
  const SimulationDocument Document{*Read, std::move(*Simulated), outcomeOf(Read->Steps)};
  // Both follow the same steps: a difference means numbers beyond SimGrid's range.
  if (std::max(std::abs(Document.timeDifference()), std::abs(Document.energyDifference())) > 1e-3)
    return complain({"SimGrid cannot simulate numbers so small or large: it is more than 0.1 % off "
                     "the formulas",
                     "", "correct times, bandwidths and latencies", Options.File});
  if (!Options.PowerCsv.empty())
    if (auto Bad = writeFile(Options.PowerCsv, writePowerCsv(Document)))
      return complain(*Bad);
  if (!Options.Svg.empty())
    if (auto Written = writeTextFile(Options.Svg, toSvg(powerPlot(Document))); !Written)
      return complain(Written.error());
  if (Options.Json)
    fmt::print("{}", writeSimulation(Document));
  else
    printText(Document);
  return Done;
}

} // namespace ergon

using namespace ergon;

int main(int Count, char **Words) {
  guardOutput();
  CLI::App App{"Runs a scenario on SimGrid: what its nodes, GPUs and messages take in time and "
               "energy, beside what the model says.",
               "ergon simulate"};
  SimulateOptions Options;
  addSimulateOptions(App, Options);
  App.footer("Exit status: 0 done, 2 bad usage or input, 3 unbound symbols.");
  try {
    App.parse(Count, Words);
  } catch (const CLI::ParseError &Bad) {
    if (Bad.get_exit_code() == 0)
      return App.exit(Bad); // --help
    fmt::print(stderr, "ergon: {}; see `ergon simulate --help`\n", Bad.what());
    return BadInput;
  }
  return runSimulation(Options);
}
