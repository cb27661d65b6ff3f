//===- CsvTable.cpp - tables of measurements as CSV -----------------------===//

#include "formats/run/CsvTable.h"

#include <csv.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

namespace ergon {

namespace {
/// Runs libcsv on one line after the other.
class CsvLines {
public:
  CsvLines() { csv_init(&Parser, CSV_STRICT); }
  CsvLines(const CsvLines &) = delete;
  CsvLines &operator=(const CsvLines &) = delete;
  ~CsvLines() { csv_free(&Parser); }

  /// The cells of \p Line, none of a blank line; nothing where its quotes are broken.
  std::optional<std::vector<std::string>> cells(std::string_view Line) {
    State Now;
    for (std::string_view Part : {Line, std::string_view("\n")})
      if (csv_parse(&Parser, Part.data(), Part.size(), takeCell, endRow, &Now) != Part.size())
        return std::nullopt;
    if (!Now.Ended && !isBlank(Line)) // the line break was inside of quotes
      return std::nullopt;
    return std::move(Now.Cells);
  }

private:
  struct State {
    std::vector<std::string> Cells;
    bool Ended = false;
  };
  csv_parser Parser;

  static void takeCell(void *Text, std::size_t Size, void *Result) {
    static_cast<State *>(Result)->Cells.emplace_back(static_cast<const char *>(Text), Size);
  }
  static void endRow(int, void *V) { static_cast<State *>(V)->Ended = true; }
  static bool isBlank(std::string_view Line) {
    return Line.find_first_not_of(" \t") == std::string_view::npos;
  }
};
} // namespace

void CsvTable::fail(std::string What, std::string Fix, std::string_view Column) {
  if (First)
    return;
  std::string Where = Line ? "line " + std::to_string(Line) : ""; // none of an empty file
  if (!Column.empty())
    Where += ", column " + std::string(Column);
  First = Error{std::move(What), std::move(Where), std::move(Fix), ""};
}

std::optional<double> CsvTable::number(const std::string &Cell, std::string_view Column, Range R) {
  if (Cell.empty())
    return std::nullopt;
  const std::string Else =
      R == Range::Positive ? "or leave the row out" : "or leave it blank where it is not known";
  double Value = 0;
  const char *End = Cell.data() + Cell.size();
  const auto [Read, Problem] = std::from_chars(Cell.data(), End, Value);
  if (Problem == std::errc::result_out_of_range)
    fail(inQuotes(Cell) + " is too large or too small for a number", "correct it, " + Else, Column);
  else if (Problem != std::errc() || Read != End || !std::isfinite(Value))
    fail(inQuotes(Cell) + " is not a number", "write it like 12.5 or 1.25e1, " + Else, Column);
  else if (Value < 0)
    fail(Cell + " is below 0", "correct it, " + Else, Column);
  else if (Value == 0 && R == Range::Positive)
    fail("is 0 where a number above 0 is wanted", "correct it, " + Else, Column);
  else if (Value > 0 || R == Range::Any)
    return Value;
  return std::nullopt;
}

double CsvTable::required(const std::string &Cell, std::string_view Column, Range R) {
  if (Cell.empty())
    fail("is blank", "fill it in, or leave the row out", Column);
  return number(Cell, Column, R).value_or(0);
}

std::string CsvTable::name(const std::string &Cell, std::string_view Column) {
  if (Cell.empty())
    fail("is blank", "name the " + std::string(Column) + " of the row", Column);
  return Cell;
}

std::expected<void, Error>
CsvTable::read(std::string_view Text, const std::function<void(const Cells &)> &TakeColumns,
               const std::function<void(const Cells &, const Cells &)> &TakeRow) {
  constexpr std::string_view ByteOrderMark = "\xEF\xBB\xBF";
  if (Text.starts_with(ByteOrderMark))
    Text.remove_prefix(ByteOrderMark.size());
  Cells Columns;
  std::size_t Rows = 0;
  auto Take = [&](const Cells &Now) {
    if (!Columns.empty() && Now.size() != Columns.size()) {
      fail("has " + std::to_string(Now.size()) + " cells where the first line names " +
               std::to_string(Columns.size()) + " columns",
           "separate cells by commas, write numbers with a decimal point");
    } else if (!Columns.empty()) {
      TakeRow(Columns, Now);
      ++Rows;
    } else {
      for (auto Name = Now.begin(); Name != Now.end(); ++Name)
        if (std::find(Now.begin(), Name, *Name) != Name)
          fail("two columns are named " + inQuotes(*Name), "leave one of the two out");
      TakeColumns(Now);
      Columns = Now;
    }
  };
  CsvLines Csv;
  for (Line = 0; !Text.empty() && !First;) {
    const std::string_view Now = Text.substr(0, Text.find_first_of("\r\n"));
    Text.remove_prefix(Now.size());
    Text.remove_prefix(Text.starts_with("\r\n") ? 2 : std::min<std::size_t>(1, Text.size()));
    ++Line;
    const std::optional<Cells> Found = Csv.cells(Now);
    if (!Found)
      fail("the quotes of a cell are broken",
           "begin and end the cell with a quote on one line, write a quote in it twice");
    else if (!Found->empty())
      Take(*Found);
  }
  if (Columns.empty())
    fail("there is no line that names the columns", "begin with one");
  else if (Rows == 0)
    fail("there are no rows below the names of the columns", "add a row for each measurement");
  if (First)
    return std::unexpected(std::move(*First));
  return {};
}

} // namespace ergon
