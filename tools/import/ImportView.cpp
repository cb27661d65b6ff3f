//===- ImportView.cpp - what ergon import says ----------------------------===//

#include "model/measurements/PowerReadings.h"
#include "model/symbolic/Wording.h"
#include "tools/import/Import.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <set>

using nlohmann::ordered_json;

namespace ergon {

static std::size_t settings(const Samples &S) {
  std::set<std::size_t> Numbers;
  for (std::size_t Number : settingsOf(S))
    Numbers.insert(Number);
  return Numbers.size();
}

static std::size_t blankEnergies(const Samples &S) {
  return std::size_t(std::ranges::count_if(S.Rows, [](const Sample &Row) { return !Row.EnergyJ; }));
}

static void printJson(const ImportCommandOptions &Options, const std::vector<ToolLog> &Logs,
                      const JoinedLogs &Joined) {
  ordered_json Result = {{"schema", "ergon-import/1"}, {"files", ordered_json::array()}};
  for (const ToolLog &Log : Logs) {
    ordered_json File = {{"file", Log.File}, {"format", name(Log.Tool)}, {"runs", Log.Runs.size()}};
    std::size_t Readings = 0;
    for (const PowerLog &Power : Log.Power)
      Readings += Power.Readings.size();
    File["readings"] = Readings;
    File["notes"] = Log.Notes;
    Result["files"].push_back(std::move(File));
  }
  Result["rows"] = Joined.Table.Rows.size();
  Result["settings"] = settings(Joined.Table);
  Result["without_energy"] = blankEnergies(Joined.Table);
  Result["classes"] = ordered_json::object();
  for (const auto &[Class, From] : Joined.From)
    Result["classes"][Class] = From;
  Result["no_class"] = Joined.Unmapped;
  Result["warnings"] = ordered_json::array();
  for (const LogFinding &Finding : Joined.Findings)
    Result["warnings"].push_back({{"id", Finding.Id}, {"text", Finding.Text}});
  if (!Options.Output.empty())
    Result["samples"] = Options.Output;
  if (!Options.Run.empty())
    Result["run"] = Options.Run;
  fmt::print("{}\n", Result.dump(2, ' ', false, ordered_json::error_handler_t::replace));
}

static void printText(const ImportCommandOptions &Options, const std::vector<ToolLog> &Logs,
                      const JoinedLogs &Joined) {
  for (const ToolLog &Log : Logs) {
    std::string What;
    if (!Log.Runs.empty())
      What = fmt::format(", {} {}", Log.Runs.size(), Log.Runs.size() == 1 ? "run" : "runs");
    for (const PowerLog &Power : Log.Power)
      What += fmt::format(", {} readings{}, {:.4g} ms apart", Power.Readings.size(),
                          Log.Power.size() > 1 ? " of GPU " + Power.Device : "",
                          readingPeriodS(Power.Readings) * 1e3);
    fmt::print("{}: {}{}\n", Log.File, name(Log.Tool), What);
  }
  const Samples &S = Joined.Table;
  const std::size_t Blank = blankEnergies(S);
  fmt::print("{}: {} {}, {} {}{}\n", Options.Output.empty() ? Options.Run : Options.Output,
             S.Rows.size(), S.Rows.size() == 1 ? "row" : "rows", settings(S),
             settings(S) == 1 ? "setting" : "settings",
             Blank == 0               ? ""
             : Blank == S.Rows.size() ? ", no energies"
                                      : fmt::format(", {} without an energy", Blank));
  for (const auto &[Class, From] : Joined.From)
    if (!From.empty())
      fmt::print("  {} from {}\n", Class, fmt::join(From, ", "));
  if (!Joined.Unmapped.empty())
    fmt::print("  {} {} no class: {}\n", Joined.Unmapped.size(),
               Joined.Unmapped.size() == 1 ? "counter is" : "counters are",
               listed(Joined.Unmapped));
  if (Options.Output.empty())
    return;
  const bool IsGpu = std::ranges::any_of(Logs, [](const ToolLog &Log) {
    return Log.Tool != LogTool::Perf && Log.Tool != LogTool::Likwid;
  });
  fmt::print("a profile of these: ergon fit {} -o profile.json --kind {} --time\n", Options.Output,
             IsGpu ? "gpu" : "cpu");
}

void printImport(const ImportCommandOptions &Options, const std::vector<ToolLog> &Logs,
                 const JoinedLogs &Joined) {
  if (Options.Json)
    printJson(Options, Logs, Joined);
  else
    printText(Options, Logs, Joined);
}

} // namespace ergon
