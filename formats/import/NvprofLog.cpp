//===- NvprofLog.cpp - nvprof --csv, and tables of nsys -------------------===//
//
// A log has any of these tables, each below a line of column names:
//   GPU trace      Start, Duration, Grid X …, Name; a row of units; a row for each launch and copy
//   summary        Time(%), Time, Calls, Avg, Min, Max, Name; a row of units; a row for each kernel
//   metrics        Device, Kernel, Invocations, Metric Name, …, Avg: a row for each kernel and
//   metric metrics by launch   Device, Context, Stream, Kernel, then a column for each metric
// CUDA toolkit, "Profiler User's Guide", sections "GPU-Trace and API-Trace Modes", "Summary Mode",
// "Event/metric Summary Mode", "Event/metric Trace Mode".
//
//===----------------------------------------------------------------------===//

#include "formats/import/LogNumbers.h"
#include "formats/import/LogParsers.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace ergon {

namespace {
enum class Table { None, Trace, Summary, Metrics };

class NvprofReader {
public:
  explicit NvprofReader(ToolLog &Result) : Result(Result) {}
  std::optional<Error> take(const LogLine &Line, bool IsLast);
  std::optional<Error> finish();

private:
  ToolLog &Result;
  Table Now = Table::None;
  bool AnyTable = false, InApi = false, WantsUnits = false;
  std::vector<std::string> Columns, Units;
  std::size_t Copies = 0, Broken = 0, NoTime = 0;
  std::map<std::pair<std::string, std::string>, std::size_t> ByKernel; ///< of a metrics table
  std::set<std::string> Rates, Lost; ///< Lost: with `<OVERFLOW>` in the place of a value

  std::optional<Error> takeMessage(const LogLine &Line);
  bool beginTable(const std::vector<std::string> &Cells);
  std::optional<Error> takeRow(const LogLine &Line, const std::vector<std::string> &Cells);
  std::optional<Error> takeTimed(const LogLine &Line, const std::vector<std::string> &Cells);
  std::optional<Error> takeMetric(const LogLine &Line, const std::vector<std::string> &Cells);
  std::optional<Error> addMetric(const LogLine &Line, LoggedRun &Run, const std::string &Name,
                                 std::string_view Cell);
  std::optional<std::string> cell(const std::vector<std::string> &Cells,
                                  std::initializer_list<std::string_view> Names) const;
  std::expected<std::optional<double>, Error> seconds(const LogLine &Line,
                                                      const std::vector<std::string> &Cells,
                                                      std::string_view Column) const;
};
} // namespace

/// `Duration` of `Duration (ns)`, and its unit.
static std::pair<std::string, std::string> splitUnit(const std::string &Column) {
  const std::size_t Open = Column.rfind(" (");
  if (Open == std::string::npos || !Column.ends_with(')') || Column == "Time (%)")
    return {Column, ""};
  return {Column.substr(0, Open), Column.substr(Open + 2, Column.size() - Open - 3)};
}

/// The number in parentheses at the end: the device of `GeForce GTX 1080 Ti (0)`.
static std::string deviceOf(const std::string &Text) {
  const std::size_t Open = Text.rfind('(');
  return Open != std::string::npos && Text.ends_with(')')
             ? Text.substr(Open + 1, Text.size() - Open - 2)
             : "";
}

/// A kernel's name without the number of its launch: `f(int) [1073]`.
static std::string withoutNumber(std::string Name) {
  const std::size_t Open = Name.rfind(" [");
  if (Open != std::string::npos && Name.ends_with(']') &&
      std::all_of(Name.begin() + std::ptrdiff_t(Open) + 2, Name.end() - 1,
                  [](char C) { return C >= '0' && C <= '9'; }))
    Name.resize(Open);
  return Name;
}

std::optional<std::string> NvprofReader::cell(const std::vector<std::string> &Cells,
                                              std::initializer_list<std::string_view> Names) const {
  const auto Column = columnOf(Columns, Names);
  return Column ? std::optional(Cells[*Column]) : std::nullopt;
}

std::optional<Error> NvprofReader::takeMessage(const LogLine &Line) {
  Now = Table::None;
  InApi = has(Line.Text, "API calls");
  if (has(Line.Text, "No kernels were profiled"))
    return lineError(Line, "nvprof profiled no kernels", "profile a program that launches some");
  if (has(Line.Text, "Warning:") && !has(Line.Text, "will be replayed"))
    Result.Notes.push_back("line " + std::to_string(Line.Number) + ": nvprof warns: " +
                           std::string(trimmed(Line.Text.substr(Line.Text.find(':') + 1))));
  return std::nullopt;
}

/// Whether \p Cells are a table's column names.
bool NvprofReader::beginTable(const std::vector<std::string> &Cells) {
  std::vector<std::string> Names, HeaderUnits;
  for (const std::string &Cell : Cells) {
    auto [Name, Unit] = splitUnit(Cell);
    Names.push_back(std::move(Name));
    HeaderUnits.push_back(std::move(Unit));
  }
  auto HasColumn = [&](std::string_view Name) { return std::ranges::count(Names, Name) > 0; };
  if (HasColumn("Start") && HasColumn("Duration") && HasColumn("Name"))
    Now = Table::Trace;
  else if (HasColumn("Avg") && HasColumn("Name") && (HasColumn("Calls") || HasColumn("Instances")))
    Now = Table::Summary;
  else if (HasColumn("Invocations") && HasColumn("Kernel") && HasColumn("Avg"))
    Now = Table::Metrics;
  else if (HasColumn("Kernel") && HasColumn("Stream"))
    Now = Table::Trace;
  else
    return false;
  AnyTable = true;
  Columns = std::move(Names);
  Units = std::move(HeaderUnits);
  WantsUnits = Now != Table::Metrics &&
               std::ranges::all_of(Units, [](const auto &Unit) { return Unit.empty(); });
  ByKernel.clear();
  return true;
}

std::expected<std::optional<double>, Error>
NvprofReader::seconds(const LogLine &Line, const std::vector<std::string> &Cells,
                      std::string_view Column) const {
  const auto At = columnOf(Columns, {Column});
  if (!At || Cells[*At].empty())
    return std::nullopt;
  const LogNumber Number = readNumber(Cells[*At]);
  if (!Number.Value)
    return std::unexpected(lineError(
        Line, inQuotes(Cells[*At]) + " in the column " + std::string(Column) + " is not a number",
        "take the line as nvprof wrote it, or leave it out"));
  // Old versions of nvprof have no row of units: each cell has its own.
  const std::string Unit = Number.Unit.empty() ? Units[*At] : std::string(Number.Unit);
  const auto Size = unitSize(Unit, LogQuantity::Time);
  if (!Size)
    return std::unexpected(lineError(
        Line,
        Unit.empty()
            ? "the column " + std::string(Column) + " has no unit"
            : inQuotes(Unit) + " of the column " + std::string(Column) + " is no unit of time",
        "keep the row of units that nvprof writes below the column names: ms,ms,…"));
  if (*Number.Value > 0)
    if (auto Bad = impossible(Line, std::string(Column), LogQuantity::Time, *Number.Value * *Size))
      return std::unexpected(std::move(*Bad));
  return *Number.Value * *Size;
}

std::optional<Error> NvprofReader::addMetric(const LogLine &Line, LoggedRun &Run,
                                             const std::string &Name, std::string_view Cell) {
  const LogNumber Number = readNumber(Cell);
  if (Number.Value && Number.Unit.empty()) {
    Run.Metrics.push_back({Name, *Number.Value});
    return impossible(Line, Name, LogQuantity::Count, *Number.Value);
  }
  if (isNoValue(Cell))
    Lost.insert(Name + " of " + Run.Name);
  else if (!Cell.empty())
    Rates.insert(Name);
  return std::nullopt;
}

/// A row of a metrics table: a metric's mean over the launches of a kernel.
std::optional<Error> NvprofReader::takeMetric(const LogLine &Line,
                                              const std::vector<std::string> &Cells) {
  const std::string Device = deviceOf(cell(Cells, {"Device"}).value_or("")),
                    Kernel = *cell(Cells, {"Kernel"});
  const auto Name = cell(Cells, {"Metric Name", "Event Name"});
  const LogNumber Launches = readNumber(*cell(Cells, {"Invocations"}));
  if (!Name || !Launches.Value || *Launches.Value <= 0) {
    ++Broken;
    return std::nullopt;
  }
  const auto [At, IsNew] = ByKernel.try_emplace({Device, Kernel}, Result.Runs.size());
  if (IsNew)
    Result.Runs.push_back(LoggedRun{.Name = Kernel, .Launches = *Launches.Value, .Device = Device});
  return addMetric(Line, Result.Runs[At->second], *Name, *cell(Cells, {"Avg"}));
}

/// The cells of \p Names as `20x10x1`; empty where one is missing.
static std::string dimensions(const std::vector<std::optional<std::string>> &Cells) {
  std::string Result;
  for (const auto &Cell : Cells) {
    if (!Cell || !readNumber(*Cell).Value)
      return "";
    Result += (Result.empty() ? "" : "x") + *Cell;
  }
  return Result;
}

/// A row of a trace or summary.
std::optional<Error> NvprofReader::takeTimed(const LogLine &Line,
                                             const std::vector<std::string> &Cells) {
  const std::string Name = withoutNumber(*cell(Cells, {"Name", "Kernel"}));
  if (InApi || cell(Cells, {"Type"}).value_or("GPU activities") != "GPU activities")
    return std::nullopt;
  if (Name.empty() || Name.starts_with("[CUDA")) {
    ++Copies;
    return std::nullopt;
  }
  LoggedRun Run{.Name = Name};
  if (Now == Table::Summary) {
    const LogNumber Calls = readNumber(*cell(Cells, {"Calls", "Instances"}));
    if (!Calls.Value || *Calls.Value <= 0)
      return lineError(Line, "the number of calls is no number above 0",
                       "take the line as nvprof wrote it, or leave it out");
    Run.Launches = *Calls.Value;
  } else {
    Run.Device = deviceOf(cell(Cells, {"Device"}).value_or(""));
    const std::string Grid =
        dimensions({cell(Cells, {"Grid X", "GrdX"}), cell(Cells, {"Grid Y", "GrdY"}),
                    cell(Cells, {"Grid Z", "GrdZ"})});
    const std::string Block =
        dimensions({cell(Cells, {"Block X", "BlkX"}), cell(Cells, {"Block Y", "BlkY"}),
                    cell(Cells, {"Block Z", "BlkZ"})});
    if (!Grid.empty() && !Block.empty())
      Run.Shape = Grid + ":" + Block;
    auto Start = seconds(Line, Cells, "Start");
    if (!Start)
      return Start.error();
    Run.StartS = *Start;
  }
  auto Time = seconds(Line, Cells, Now == Table::Summary ? "Avg" : "Duration");
  if (!Time)
    return Time.error();
  Run.TimeS = *Time;
  if (Run.TimeS && *Run.TimeS <= 0) {
    ++NoTime;
    return std::nullopt;
  }
  for (std::size_t K = 0; K != Columns.size(); ++K)
    if (has(Columns[K], "_") && Columns[K] != "Correlation_ID")
      if (auto Bad = addMetric(Line, Run, withoutNumber(Columns[K]), Cells[K]))
        return Bad;
  Result.Runs.push_back(std::move(Run));
  return std::nullopt;
}

std::optional<Error> NvprofReader::takeRow(const LogLine &Line,
                                           const std::vector<std::string> &Cells) {
  if (WantsUnits) {
    WantsUnits = false;
    // A row of units has no numbers.
    if (std::ranges::none_of(Cells,
                             [](const auto &Cell) { return readNumber(Cell).Value.has_value(); }) &&
        !columnOf(Columns, {"Name", "Kernel"})
             .transform([&](std::size_t At) { return !Cells[At].empty(); })
             .value_or(false)) {
      Units = Cells;
      return std::nullopt;
    }
  }
  if (Now == Table::Metrics)
    return takeMetric(Line, Cells);
  return takeTimed(Line, Cells);
}

std::optional<Error> NvprofReader::take(const LogLine &Line, bool IsLast) {
  if (Line.Text.starts_with("=="))
    return takeMessage(Line);
  auto Cells = csvCells(Line.Text);
  if (Cells && beginTable(*Cells))
    return std::nullopt;
  if (has(Line.Text, ";") && csvCells(Line.Text, ';') && beginTable(*csvCells(Line.Text, ';')))
    return lineError(Line, "cells are separated by semicolons",
                     "take the file as nvprof --csv wrote it: separated by commas");
  const bool IsText = Cells && Cells->size() < 4 &&
                      ((has(Line.Text, "Time(%)") && has(Line.Text, "Calls")) ||
                       (has(Line.Text, "Start  ") && has(Line.Text, "Duration  ")) ||
                       (has(Line.Text, "Invocations  ") && has(Line.Text, "Name")));
  if (IsText && !AnyTable)
    return lineError(Line, "is nvprof's text for people", "profile with nvprof --csv");
  if (Now == Table::None)
    return std::nullopt; // what the program prints
  // Old versions of nvprof do not quote the last cell, a name with commas.
  if (Cells && Columns.back() == "Name" && Line.Text.ends_with(')'))
    while (Cells->size() > Columns.size()) {
      const std::string Last = std::move(Cells->back());
      Cells->pop_back();
      Cells->back() += ", " + Last;
    }
  if (Cells && Cells->size() == Columns.size())
    return takeRow(Line, *Cells);
  if (IsLast && !Line.IsWhole)
    Result.Notes.push_back(cutOffNote(Line));
  else if (Line.Text.starts_with('"') ||
           Cells.transform([&](const auto &C) { return C.size() + 1 >= Columns.size(); })
               .value_or(false))
    ++Broken;
  return std::nullopt;
}

std::optional<Error> NvprofReader::finish() {
  if (!AnyTable)
    return Error{"has no table of nvprof", "",
                 "write it with nvprof --csv --print-gpu-trace --log-file FILE, or with --metrics",
                 ""};
  auto Note = [&](std::size_t Count, const std::string &What) {
    if (Count)
      Result.Notes.push_back(std::to_string(Count) + What);
  };
  Note(Copies, " rows of copies and fills were left out: they are no kernels");
  Note(Broken, " lines have other cells than their table has columns, and were left out");
  Note(NoTime, " launches have no duration and were left out");
  noteLost(Lost, Result);
  Result.Rates.assign(Rates.begin(), Rates.end());
  return std::nullopt;
}

std::optional<Error> readNvprof(LogLines Lines, ToolLog &Result) {
  NvprofReader Reader(Result);
  for (const LogLine &Line : Lines)
    if (auto Bad = Reader.take(Line, &Line == &Lines.back()))
      return Bad;
  return Reader.finish();
}

} // namespace ergon
