//===- CommandImport.cpp - ergon import -----------------------------------===//

#include "formats/import/LogText.h"
#include "formats/json/TextFile.h"
#include "formats/run/RunFormat.h"
#include "formats/run/SamplesFormat.h"
#include "model/symbolic/Wording.h"
#include "tools/base/Commands.h"
#include "tools/import/Import.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace ergon {

/// The tool that \p Formats name for \p Path, or that its text is of. Error: an unknown name, or no
/// tool's text.
static std::expected<LogTool, Error> toolOf(const std::string &Path, std::string_view Text,
                                            const std::vector<std::string> &Formats) {
  std::string Name;
  for (const std::string &Format : Formats) {
    const std::size_t Equals = Format.rfind('=');
    if (Equals == std::string::npos)
      Name = Format;
    else if (Format.substr(0, Equals) == Path) {
      Name = Format.substr(Equals + 1);
      break;
    }
  }
  if (!Name.empty()) {
    const auto Found = std::ranges::find(LogToolNames, Name);
    if (Found == LogToolNames.end())
      return std::unexpected(Error{inQuotes(Name) + " is no format", "",
                                   fmt::format("one of {}", fmt::join(LogToolNames, ", ")),
                                   "--format"});
    return LogTool(Found - LogToolNames.begin());
  }
  if (const auto Tool = recognizedTool(Text))
    return *Tool;
  return std::unexpected(Error{
      Text.empty() ? "is empty" : "looks like the output of no tool that is known", "",
      fmt::format("give CSV of a tool, or name it: --format {}", fmt::join(LogToolNames, "|")),
      Path});
}

/// The rows of \p More below those of \p Table, and the classes of both.
static void append(Samples &Table, const Samples &More) {
  for (const std::string &Class : More.Classes)
    if (!std::ranges::count(Table.Classes, Class))
      Table.Classes.push_back(Class);
  for (Sample &Row : Table.Rows)
    Row.Counts.resize(Table.Classes.size());
  for (Sample Row : More.Rows) {
    std::vector<std::optional<double>> Counts(Table.Classes.size());
    for (std::size_t K = 0; K != More.Classes.size(); ++K)
      Counts[std::size_t(std::ranges::find(Table.Classes, More.Classes[K]) -
                         Table.Classes.begin())] = Row.Counts[K];
    Row.Counts = std::move(Counts);
    Table.Rows.push_back(std::move(Row));
  }
}

/// Writes the samples, below those of the file where it is to be continued.
static std::expected<void, Error> writeRows(const ImportCommandOptions &Options,
                                            const Samples &Table) {
  Samples All;
  if (Options.Append && std::filesystem::exists(Options.Output)) {
    const auto Text = readTextFile(Options.Output);
    if (!Text)
      return std::unexpected(Text.error());
    auto Before = parseSamples(*Text);
    if (!Before) {
      Before.error().File = Options.Output;
      return std::unexpected(Before.error());
    }
    All = std::move(*Before);
  }
  append(All, Table);
  return writeTextFile(Options.Output, writeSamples(All));
}

static void warn(const std::vector<ToolLog> &Logs, const JoinedLogs &Joined) {
  for (const ToolLog &Log : Logs)
    for (const std::string &Note : Log.Notes)
      fmt::print(stderr, "ergon: warning: {}: {}\n", Log.File, Note);
  for (const LogFinding &Finding : Joined.Findings)
    fmt::print(stderr, "ergon: warning: {} [{}]\n", Finding.Text, Finding.Id);
}

static std::expected<std::vector<ToolLog>, Error> readLogs(const ImportCommandOptions &Options,
                                                           const ImportOptions &Reading) {
  std::vector<ToolLog> Result;
  for (const std::string &Path : Options.Files) {
    const auto Text = readTextFile(Path);
    if (!Text)
      return std::unexpected(Text.error());
    if (auto Bad = logLines(*Text); !Bad) {
      Bad.error().File = Path;
      return std::unexpected(Bad.error());
    }
    const auto Tool = toolOf(Path, *Text, Options.Formats);
    if (!Tool)
      return std::unexpected(Tool.error());
    auto Log = parseLog(*Text, *Tool, Path, Reading);
    if (!Log)
      return std::unexpected(Log.error());
    Result.push_back(std::move(*Log));
  }
  return Result;
}

int runImport(const ImportCommandOptions &Options) {
  if (Options.Append && Options.Output.empty())
    return complain({"needs a file", "", "name it with -o", "--append"});
  const auto Arguments = readImportArguments(Options);
  if (!Arguments)
    return complain(Arguments.error());
  const auto Logs = readLogs(Options, Arguments->Reading);
  if (!Logs)
    return complain(Logs.error());
  const auto Joined = joinLogs(*Logs, Arguments->Joining);
  if (!Joined)
    return complain(Joined.error());
  if (const std::vector<std::size_t> Settings = settingsOf(Joined->Table);
      !Options.Run.empty() && std::ranges::max(Settings) > 0)
    return complain({"the logs are of several settings, and a run record of one", "",
                     "import the logs of one setting at a time", "--run"});
  std::expected<void, Error> Written;
  if (!Options.Output.empty())
    Written = writeRows(Options, Joined->Table);
  if (Written && !Options.Run.empty()) {
    const auto Power = joinedPower(*Logs, Options.Gpu);
    if (!Power)
      return complain(Power.error());
    Written = writeTextFile(Options.Run, writeRun(importedRun(*Logs, *Joined, *Power)));
  }
  if (!Written)
    return complain(Written.error());
  warn(*Logs, *Joined);
  if (Options.Output.empty() && Options.Run.empty() && !Options.Json) {
    if (!Joined->Unmapped.empty())
      fmt::print(stderr, "ergon: warning: counters that are no class: {}\n",
                 listed(Joined->Unmapped));
    fmt::print("{}", writeSamples(Joined->Table));
  } else {
    printImport(Options, *Logs, *Joined);
  }
  return Done;
}

} // namespace ergon
