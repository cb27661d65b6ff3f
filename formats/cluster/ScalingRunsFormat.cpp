//===- ScalingRunsFormat.cpp - runs on several processors as CSV ----------===//

#include "formats/cluster/ScalingRunsFormat.h"
#include "formats/run/CsvTable.h"
#include "model/machine/PlausibleRanges.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <cmath>

namespace ergon {

namespace {
/// Makes runs of the cells of a table.
class ScalingRunsReader {
public:
  std::expected<ScalingRuns, Error> read(std::string_view Text);

private:
  CsvTable Table;

  void takeColumns(const CsvTable::Cells &Names);
  void takeCell(const std::string &Cell, std::string_view Column, ScalingRun &Result);
  double whole(const std::string &Cell, std::string_view Column);
  double amount(const std::string &Cell, std::string_view Column);
  std::optional<double> clock(const std::string &Cell);
  void checkPower(const ScalingRun &Run);
};
} // namespace

void ScalingRunsReader::takeColumns(const CsvTable::Cells &Names) {
  for (const std::string &Name : Names)
    if (std::ranges::find(ScalingRunColumns, Name) == ScalingRunColumns.end())
      Table.fail("no column of measured runs is called " + inQuotes(Name),
                 "the columns are: " + joined(ScalingRunColumns));
  for (const std::string_view Wanted : {"p", "time_s"})
    if (std::ranges::find(Names, Wanted) == Names.end())
      Table.fail("there is no column " + std::string(Wanted), "name it in the first line");
}

double ScalingRunsReader::whole(const std::string &Cell, std::string_view Column) {
  const double Result = Table.required(Cell, Column, CsvTable::Range::Positive);
  if (Result != std::floor(Result) || Result > 1e15)
    Table.fail(Cell + " is no whole number up to 1e15", "correct it, or leave the row out", Column);
  return Result;
}

/// Seconds or joules.
double ScalingRunsReader::amount(const std::string &Cell, std::string_view Column) {
  const double Result = Table.required(Cell, Column, CsvTable::Range::Positive);
  if (Result < 1e-12 || Result > 1e15)
    Table.fail(Cell + " is not between 1e-12 and 1e15",
               "write seconds and joules, or leave the row out", Column);
  return Result;
}

std::optional<double> ScalingRunsReader::clock(const std::string &Cell) {
  const auto Result = Table.number(Cell, "core_mhz", CsvTable::Range::Positive);
  if (const char *Unit = Result ? otherUnitOfClock(*Result, MostCoreMhz) : nullptr)
    Table.fail(Cell + " looks like " + Unit, "write the clock in MHz", "core_mhz");
  return Result;
}

void ScalingRunsReader::checkPower(const ScalingRun &Run) {
  if (!Run.EnergyJ)
    return;
  // A node may be of one processor.
  const double Watts = *Run.EnergyJ / Run.TimeS;
  if (Watts > MostPowerW * Run.Nodes.value_or(Run.P) || Watts < LeastPowerW)
    Table.fail("energy_j/time_s is " + shortNumber(Watts) + " W, " +
                   (Watts < LeastPowerW ? "less than any processor draws"
                                        : "more than any such machines draw"),
               "write energy in joules, time in seconds", "energy_j");
}

void ScalingRunsReader::takeCell(const std::string &Cell, std::string_view Column,
                                 ScalingRun &Result) {
  if (Column == "workload")
    Result.Workload = Table.name(Cell, Column);
  else if (Column == "n")
    Result.N = whole(Cell, Column);
  else if (Column == "p")
    Result.P = whole(Cell, Column);
  else if (Column == "nodes" && !Cell.empty())
    Result.Nodes = whole(Cell, Column);
  else if (Column == "core_mhz")
    Result.Mhz = clock(Cell);
  else if (Column == "time_s")
    Result.TimeS = amount(Cell, Column);
  else if (Column == "energy_j" && !Cell.empty())
    Result.EnergyJ = amount(Cell, Column);
}

std::expected<ScalingRuns, Error> ScalingRunsReader::read(std::string_view Text) {
  return Table.rows<ScalingRun>(
      Text, [&](const CsvTable::Cells &Names) { takeColumns(Names); },
      [&](const std::string &Cell, std::string_view Column, ScalingRun &Run) {
        takeCell(Cell, Column, Run);
      },
      [&](const ScalingRun &Run) {
        if (Run.Nodes.value_or(1) > Run.P)
          Table.fail("more nodes than processors", "correct it, or leave the row out", "nodes");
        checkPower(Run);
      });
}

std::expected<ScalingRuns, Error> parseScalingRuns(std::string_view Text) {
  return ScalingRunsReader().read(Text);
}

} // namespace ergon
