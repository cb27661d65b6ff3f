//===- NcuLog.cpp - ncu --csv ---------------------------------------------===//
//
// Two tables. `--page raw`: a row for each launch with a column for each metric, below the column
// names a row of units. `--page details`, and what `ncu --csv --metrics` prints: a row for each
// metric of each launch, with Metric Name, Metric Unit, Metric Value. Numbers are written by the
// locale of who ran ncu: 1,234.5 or 1.234,5. NVIDIA, "Nsight Compute CLI", section "Command Line
// Options".
//
//===----------------------------------------------------------------------===//

#include "formats/import/LogNumbers.h"
#include "formats/import/LogParsers.h"

#include <algorithm>
#include <map>
#include <set>

namespace ergon {

namespace {
struct NcuValue {
  std::string Name, Unit, Cell;
};

/// A launch as its lines have it.
struct NcuLaunch {
  const LogLine *Line = nullptr; ///< its first
  std::string Kernel, Grid, Block, Device;
  double Launches = 1;
  std::vector<NcuValue> Values = {};
};

class NcuReader {
public:
  explicit NcuReader(ToolLog &Result) : Result(Result) {}
  std::optional<Error> take(const LogLine &Line, bool IsLast);
  std::optional<Error> finish();

private:
  ToolLog &Result;
  bool IsLong = false, WantsUnits = false;
  std::string_view ValueColumn; ///< of a long table; `Average` with --print-summary
  std::vector<std::string> Columns, Units;
  std::vector<NcuLaunch> Launches;
  std::map<std::string, std::size_t> ById;
  NumberStyleFinder Style;
  std::set<std::string> Rates, Lost; ///< Lost: with `n/a` in the place of a value
  std::size_t Broken = 0;

  std::optional<Error> takeRow(const LogLine &Line, const std::vector<std::string> &Cells);
  std::optional<Error> finishLaunch(const NcuLaunch &Launch, NumberStyle Numbers);
  std::optional<Error> takeValue(const NcuLaunch &Launch, const NcuValue &Value,
                                 NumberStyle Numbers, LoggedRun &Run);
};
} // namespace

/// `(256, 1, 1)` or `256, 1, 1` as `256x1x1`.
static std::string dimensions(std::string_view Text) {
  std::string Result;
  for (const char C : Text)
    if (C == ',')
      Result += 'x';
    else if (C >= '0' && C <= '9')
      Result += C;
  return Result;
}

std::optional<Error> NcuReader::takeRow(const LogLine &Line,
                                        const std::vector<std::string> &Cells) {
  auto Cell = [&](std::string_view Name) {
    const auto At = columnOf(Columns, {Name});
    return At ? Cells[*At] : std::string();
  };
  if (WantsUnits) {
    WantsUnits = false;
    if (Cell("Kernel Name").empty()) {
      Units = Cells;
      return std::nullopt;
    }
  }
  const std::string Kernel = Cell("Kernel Name");
  if (Kernel.empty()) {
    ++Broken;
    return std::nullopt;
  }
  // Without an ID the rows of one kernel are one launch.
  const std::string Id = columnOf(Columns, {"ID"}) ? Cell("Process ID") + "/" + Cell("ID") : Kernel;
  const auto [At, IsNew] = ById.try_emplace(Id, Launches.size());
  if (IsNew || (!IsLong && !columnOf(Columns, {"ID"})))
    At->second = Launches.size(),
    Launches.emplace_back(&Line, Kernel, dimensions(Cell("Grid Size")),
                          dimensions(Cell("Block Size")), Cell("Device"));
  NcuLaunch &Launch = Launches[At->second];
  if (const auto Count = readNumber(Cell("Invocations")).Value; Count && *Count > 0)
    Launch.Launches = *Count;
  if (IsLong) {
    if (const std::string Name = Cell("Metric Name"); !Name.empty())
      Launch.Values.push_back({Name, Cell("Metric Unit"), Cell(ValueColumn)});
  } else {
    for (std::size_t K = 0; K != Columns.size(); ++K)
      if (has(Columns[K], "__"))
        Launch.Values.push_back({Columns[K], K < Units.size() ? Units[K] : "", Cells[K]});
  }
  return std::nullopt;
}

std::optional<Error> NcuReader::take(const LogLine &Line, bool IsLast) {
  if (Line.Text.starts_with("==ERROR=="))
    Result.Notes.push_back("line " + std::to_string(Line.Number) +
                           ": ncu says: " + std::string(trimmed(Line.Text.substr(9))));
  if (Line.Text.starts_with("=="))
    return std::nullopt;
  const auto Cells = csvCells(Line.Text);
  if (Cells && columnOf(*Cells, {"Kernel Name"})) {
    Columns = *Cells;
    Units.clear();
    ValueColumn = columnOf(Columns, {"Average"}) ? "Average" : "Metric Value";
    IsLong = columnOf(Columns, {"Metric Name"}) && columnOf(Columns, {ValueColumn});
    WantsUnits = !IsLong;
    if (IsLong && !columnOf(Columns, {"Metric Unit"}))
      return lineError(Line, "there is no column Metric Unit",
                       "keep the columns as ncu --csv writes them");
    return std::nullopt;
  }
  if (Columns.empty()) {
    if (has(Line.Text, "Kernel Name\";\"") || has(Line.Text, "Kernel Name;"))
      return lineError(Line, "cells are separated by semicolons",
                       "take the file as ncu --csv wrote it: separated by commas");
    return std::nullopt; // what the program prints
  }
  if (Cells && Cells->size() == Columns.size())
    return takeRow(Line, *Cells);
  if (IsLast && !Line.IsWhole)
    Result.Notes.push_back(cutOffNote(Line));
  else if (Line.Text.starts_with('"'))
    ++Broken;
  return std::nullopt;
}

/// The metrics that are times and clocks, by their names in either page.
static constexpr std::string_view TimeNames[] = {"gpu__time_duration.sum", "gpu__time_duration.avg",
                                                 "gpu__time_duration.max", "Duration"};
static constexpr std::string_view CoreNames[] = {
    "smsp__cycles_elapsed.avg.per_second", "sm__cycles_elapsed.avg.per_second",
    "gpc__cycles_elapsed.avg.per_second", "SM Frequency"};
static constexpr std::string_view MemNames[] = {"dram__cycles_elapsed.avg.per_second",
                                                "DRAM Frequency"};

std::optional<Error> NcuReader::takeValue(const NcuLaunch &Launch, const NcuValue &Value,
                                          NumberStyle Numbers, LoggedRun &Run) {
  const LogNumber Number = readNumber(Value.Cell, Numbers);
  auto IsOne = [&](const auto &Names) { return std::ranges::count(Names, Value.Name) > 0; };
  const std::string &Unit = Value.Unit.empty() ? std::string(Number.Unit) : Value.Unit;
  if (!Number.Value) {
    if (has(Value.Name, "__") && isNoValue(Value.Cell))
      Lost.insert(Value.Name + " of " + Launch.Kernel);
    return std::nullopt;
  }
  auto Wanted = [&](LogQuantity Quantity, const char *What) -> std::expected<double, Error> {
    if (const auto Size = unitSize(Unit, Quantity))
      return *Number.Value * *Size;
    return std::unexpected(
        lineError(*Launch.Line,
                  "the unit of " + Value.Name + " is " +
                      (Unit.empty() ? "missing" : inQuotes(Unit) + ", which is no unit of " + What),
                  "keep the row or column of units that ncu --csv writes"));
  };
  auto Set = [&](std::optional<double> &Target, LogQuantity Quantity, const char *What,
                 double PerUnit) -> std::optional<Error> {
    const auto Read = Wanted(Quantity, What);
    if (!Read)
      return Read.error();
    if (*Read > 0)
      Target = *Read * PerUnit;
    return *Read > 0 ? impossible(*Launch.Line, Value.Name, Quantity, *Read) : std::nullopt;
  };
  if (IsOne(TimeNames))
    return Set(Run.TimeS, LogQuantity::Time, "time", 1);
  if (IsOne(CoreNames))
    return Set(Run.CoreMhz, LogQuantity::Frequency, "frequency", 1e-6);
  if (IsOne(MemNames))
    return Set(Run.MemMhz, LogQuantity::Frequency, "frequency", 1e-6);
  const auto Known = logUnit(Unit);
  const bool IsCounter = has(Value.Name, "__") || Value.Name == "Executed Instructions";
  if (has(Value.Name, "bytes") && has(Value.Name, ".sum") && !has(Value.Name, "per_") &&
      !has(Value.Name, "pct_")) {
    const auto Bytes = Wanted(LogQuantity::Bytes, "bytes");
    if (!Bytes)
      return Bytes.error();
    Run.Metrics.push_back({Value.Name, *Bytes});
    return impossible(*Launch.Line, Value.Name, LogQuantity::Bytes, *Bytes);
  }
  if (IsCounter && Known && Known->Quantity == LogQuantity::Count && !has(Value.Name, ".pct") &&
      !has(Value.Name, "pct_") && !has(Value.Name, ".per_") && !has(Value.Name, ".ratio") &&
      !Value.Name.starts_with("launch__") && !Value.Name.starts_with("device__")) {
    Run.Metrics.push_back({Value.Name, *Number.Value * Known->Size});
    return impossible(*Launch.Line, Value.Name, LogQuantity::Count, Run.Metrics.back().Value);
  }
  if (!Value.Name.starts_with("launch__") && !Value.Name.starts_with("device__")) {
    Rates.insert(Value.Name);
  }
  return std::nullopt;
}

std::optional<Error> NcuReader::finishLaunch(const NcuLaunch &Launch, NumberStyle Numbers) {
  LoggedRun Run{.Name = Launch.Kernel, .Launches = Launch.Launches, .Device = Launch.Device};
  if (!Launch.Grid.empty() && !Launch.Block.empty())
    Run.Shape = Launch.Grid + ":" + Launch.Block;
  for (const NcuValue &Value : Launch.Values)
    if (auto Bad = takeValue(Launch, Value, Numbers, Run))
      return Bad;
  Result.Runs.push_back(std::move(Run));
  return std::nullopt;
}

std::optional<Error> NcuReader::finish() {
  if (Columns.empty())
    return Error{"has no table of Nsight Compute", "",
                 "write it with ncu --csv --page raw --log-file FILE", ""};
  for (const NcuLaunch &Launch : Launches)
    for (const NcuValue &Value : Launch.Values)
      Style.look(Value.Cell);
  const auto Numbers = Style.found();
  if (!Numbers)
    return Error{"has numbers with decimal points and others with decimal commas", "",
                 "run ncu with LC_ALL=C, and join no files of different locales", ""};
  for (const NcuLaunch &Launch : Launches)
    if (auto Bad = finishLaunch(Launch, *Numbers))
      return Bad;
  if (Broken)
    Result.Notes.push_back(std::to_string(Broken) +
                           " lines have other cells than the table has columns, and were left out");
  noteLost(Lost, Result);
  Result.Rates.assign(Rates.begin(), Rates.end());
  return std::nullopt;
}

std::optional<Error> readNcu(LogLines Lines, ToolLog &Result) {
  NcuReader Reader(Result);
  for (const LogLine &Line : Lines)
    if (auto Bad = Reader.take(Line, &Line == &Lines.back()))
      return Bad;
  return Reader.finish();
}

} // namespace ergon
