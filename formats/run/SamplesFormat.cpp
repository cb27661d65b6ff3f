//===- SamplesFormat.cpp - measured runs as CSV ---------------------------===//

#include "formats/run/SamplesFormat.h"
#include "formats/run/CsvTable.h"
#include "model/machine/CostClass.h"
#include "model/machine/PlausibleRanges.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace ergon {

namespace {
/// Makes samples of the cells of a table.
class SamplesReader {
public:
  std::expected<Samples, Error> read(std::string_view Text);

private:
  using Range = CsvTable::Range;

  CsvTable Table;
  Samples Result;

  void takeColumns(const CsvTable::Cells &Names);
  void takeCell(const std::string &Cell, std::string_view Column, Sample &Result);
  /// Fails where \p Value is above \p Most, which no run has.
  std::optional<double> bounded(std::optional<double> Value, double Most, std::string_view Column);
};
} // namespace

static bool isSampleColumn(std::string_view Name) {
  return std::ranges::find(SampleColumns, Name) != SampleColumns.end();
}

void SamplesReader::takeColumns(const CsvTable::Cells &Names) {
  for (auto Name = Names.begin(); Name != Names.end(); ++Name) {
    if (isSampleColumn(*Name))
      continue;
    if (!isClassName(*Name))
      Table.fail("column " + std::to_string(Name - Names.begin() + 1) + ", " + inQuotes(*Name) +
                     ", cannot name a cost class",
                 "separate columns by commas; a class has letters, digits and underscores, and is "
                 "none of: constant, power_cap, none");
    Result.Classes.push_back(*Name);
  }
  for (std::string_view Wanted : SampleColumns)
    if (std::ranges::find(Names, Wanted) == Names.end())
      Table.fail("there is no column " + std::string(Wanted),
                 "name it in the first line; where its values are not known, leave cells blank");
  if (Result.Classes.empty())
    Table.fail("there is no column of a cost class", "add the counts, a column for each class");
}

void SamplesReader::takeCell(const std::string &Cell, std::string_view Column, Sample &Result) {
  if (Column == "workload")
    Result.Workload = Table.name(Cell, Column);
  else if (Column == "core_mhz")
    Result.Clocks.CoreMhz = Table.required(Cell, Column, Range::Positive);
  else if (Column == "mem_mhz")
    Result.Clocks.MemMhz = Table.number(Cell, Column, Range::ZeroIsNone);
  else if (Column == "core_mv")
    Result.Clocks.CoreMv = Table.number(Cell, Column, Range::Positive);
  else if (Column == "mem_mv")
    Result.Clocks.MemMv = Table.number(Cell, Column, Range::ZeroIsNone);
  else if (Column == "time_s")
    Result.TimeS = *bounded(Table.required(Cell, Column, Range::Positive), MostTimeS, Column);
  else if (Column == "energy_j")
    Result.EnergyJ = bounded(Table.number(Cell, Column, Range::Positive), MostEnergyJ, Column);
  else
    Result.Counts.push_back(bounded(Table.number(Cell, Column, Range::Any), MostCount, Column));
}

std::optional<double> SamplesReader::bounded(std::optional<double> Value, double Most,
                                             std::string_view Column) {
  if (Value && *Value > Most)
    Table.fail("is " + shortNumber(*Value) + ", more than any run has (" + shortNumber(Most) + ")",
               "correct it, or leave the row out", Column);
  return Value;
}

std::expected<Samples, Error> SamplesReader::read(std::string_view Text) {
  auto Rows = Table.rows<Sample>(
      Text, [&](const CsvTable::Cells &Names) { takeColumns(Names); },
      [&](const std::string &Cell, std::string_view Column, Sample &Row) {
        takeCell(Cell, Column, Row);
      });
  if (!Rows)
    return std::unexpected(std::move(Rows.error()));
  Result.Rows = std::move(*Rows);
  return std::move(Result);
}

std::expected<Samples, Error> parseSamples(std::string_view Text) {
  return SamplesReader().read(Text);
}

} // namespace ergon
