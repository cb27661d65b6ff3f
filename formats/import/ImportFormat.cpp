//===- ImportFormat.cpp - logs of profilers and meters --------------------===//

#include "formats/import/ImportFormat.h"
#include "formats/import/LogNumbers.h"
#include "formats/import/LogParsers.h"

#include <algorithm>
#include <filesystem>

namespace ergon {

/// Whether \p Line is one of `perf stat -x`: a count, a unit, and an event with its running time.
static bool isPerfLine(std::string_view Line) {
  for (const char Separator : {',', ';', '\t', '|'}) {
    const auto Cells = csvCells(Line, Separator);
    if (!Cells || Cells->size() < 4)
      continue;
    if (has(Line, "<not counted>") || has(Line, "<not supported>"))
      return true;
    for (std::size_t K = 2; K + 1 < Cells->size() && K < 6; ++K) {
      const std::string &Event = (*Cells)[K], &Unit = (*Cells)[K - 1];
      const bool IsEvent = !Event.empty() && !readNumber(Event).Value && !has(Event, " ");
      const bool HasUnit = Unit.empty() || Unit == "msec" || logUnit(Unit);
      if (IsEvent && HasUnit && readNumber((*Cells)[K - 2]).Value &&
          readNumber((*Cells)[K + 1]).Value)
        return true;
    }
  }
  return false;
}

static std::optional<LogTool> toolOfLine(std::string_view Line) {
  if (has(Line, "NVPROF") || Line.starts_with("======== Profiling result"))
    return LogTool::Nvprof;
  if (Line.starts_with("==PROF=="))
    return LogTool::Ncu;
  if (Line.starts_with("TABLE,") || Line.starts_with("STRUCT,"))
    return LogTool::Likwid;
  if (has(Line, "#Entity") || has(Line, "# Entity"))
    return LogTool::Dcgm;
  const std::vector<std::string> Words = words(Line);
  if (Line.starts_with('#') && std::ranges::count(Words, "gpu"))
    return LogTool::NvidiaSmi;
  if (has(Line, "power.draw") || has(Line, "clocks.current"))
    return LogTool::NvidiaSmi;
  const auto Cells = csvCells(Line);
  if (!Cells)
    return std::nullopt;
  auto HasCell = [&](std::string_view Name) { return std::ranges::count(*Cells, Name) > 0; };
  if (HasCell("Kernel Name"))
    return LogTool::Ncu;
  if ((HasCell("Start") && HasCell("Duration")) || HasCell("Time(%)") || HasCell("Invocations") ||
      HasCell("Start (ns)") || HasCell("Total Time (ns)") ||
      (HasCell("Kernel") && HasCell("Stream")))
    return LogTool::Nvprof;
  if (isPerfLine(Line))
    return LogTool::Perf;
  return std::nullopt;
}

/// Whether \p Line may be of nvidia-smi without column names: a time and numbers. The watched
/// program may print such lines too.
static bool mayBeReading(std::string_view Line) {
  const auto Cells = csvCells(Line);
  return Cells && Cells->size() > 1 && std::ranges::any_of(*Cells, [](const auto &Cell) {
           return Cell == "timestamp" || readTimestamp(Cell).has_value();
         });
}

std::optional<LogTool> recognizedTool(std::string_view Text) {
  const auto Lines = logLines(Text);
  if (!Lines)
    return std::nullopt;
  if (Lines->front().Text.starts_with('{'))
    return LogTool::KernelTuner;
  for (const LogLine &Line : *Lines)
    if (const auto Tool = toolOfLine(Line.Text))
      return Tool;
  for (const LogLine &Line : *Lines)
    if (mayBeReading(Line.Text))
      return LogTool::NvidiaSmi;
  return std::nullopt;
}

std::expected<ToolLog, Error> parseLog(std::string_view Text, LogTool Tool, const std::string &Path,
                                       const ImportOptions &Options) {
  ToolLog Result{Tool, Path};
  std::optional<Error> Bad;
  const auto Lines = logLines(Text);
  ImportOptions Named = Options;
  if (Named.Workload.empty())
    Named.Workload = std::filesystem::path(Path).stem().string();
  if (!Lines)
    Bad = Lines.error();
  else if (Tool == LogTool::Nvprof)
    Bad = readNvprof(*Lines, Result);
  else if (Tool == LogTool::Ncu)
    Bad = readNcu(*Lines, Result);
  else if (Tool == LogTool::NvidiaSmi)
    Bad = readNvidiaSmi(*Lines, Named, Result);
  else if (Tool == LogTool::Dcgm)
    Bad = readDcgm(*Lines, Named, Result);
  else if (Tool == LogTool::Perf)
    Bad = readPerf(*Lines, Named, Result);
  else if (Tool == LogTool::Likwid) {
    Bad = readLikwid(*Lines, Result);
    for (LoggedRun &Run : Result.Runs)
      if (Run.Name.empty())
        Run.Name = Named.Workload;
  } else {
    Bad = readKernelTuner(Text, Result);
  }
  if (Bad) {
    Bad->File = Path;
    return std::unexpected(std::move(*Bad));
  }
  return Result;
}

} // namespace ergon
