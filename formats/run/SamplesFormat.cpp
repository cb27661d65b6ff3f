//===- SamplesFormat.cpp - measured runs as CSV ---------------------------===//

#include "formats/run/SamplesFormat.h"
#include "model/machine/CostClass.h"

#include <csv.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ergon {

namespace {
/// Reads the cells of one line after the other. Keeps the first error.
class SamplesReader {
public:
  /// The cells of a line: the names of the columns, then a sample each time.
  void take(std::vector<std::string> Cells);
  std::expected<Samples, Error> finish();
  void fail(std::string What, std::string Fix, std::string_view Column = {});
  bool failed() const { return First.has_value(); }

  std::size_t Line = 0; ///< that is being read

private:
  Samples Result;
  std::vector<std::string> Header;
  std::optional<Error> First;

  enum class Range { Any, Positive, ZeroIsNone };

  void takeHeader(std::vector<std::string> Cells);
  std::optional<double> number(const std::string &Cell, std::string_view Column, Range R);
  void takeCell(const std::string &Cell, std::string_view Column, Sample &Result);
};
} // namespace

void SamplesReader::fail(std::string What, std::string Fix, std::string_view Column) {
  if (First)
    return;
  std::string Where = Line ? "line " + std::to_string(Line) : ""; // none of an empty file
  if (!Column.empty())
    Where += ", column " + std::string(Column);
  First = Error{std::move(What), std::move(Where), std::move(Fix), ""};
}

static bool isSampleColumn(std::string_view Name) {
  return std::ranges::find(SampleColumns, Name) != SampleColumns.end();
}

void SamplesReader::takeHeader(std::vector<std::string> Cells) {
  for (auto Name = Cells.begin(); Name != Cells.end(); ++Name) {
    if (std::find(Cells.begin(), Name, *Name) != Name)
      fail("two columns are named " + inQuotes(*Name), "leave one of the two out");
    if (isSampleColumn(*Name))
      continue;
    if (!isClassName(*Name))
      fail("column " + std::to_string(Name - Cells.begin() + 1) + ", " + inQuotes(*Name) +
               ", cannot name a cost class",
           "separate columns by commas; a class has letters, digits and underscores, and is "
           "none of: constant, power_cap, none");
    Result.Classes.push_back(*Name);
  }
  for (std::string_view Wanted : SampleColumns)
    if (std::ranges::find(Cells, Wanted) == Cells.end())
      fail("there is no column " + std::string(Wanted),
           "name it in the first line; where its values are not known, leave cells blank");
  if (Result.Classes.empty())
    fail("there is no column of a cost class", "add the counts, a column for each class");
  Header = std::move(Cells);
}

std::optional<double> SamplesReader::number(const std::string &Cell, std::string_view Column,
                                            Range R) {
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

void SamplesReader::takeCell(const std::string &Cell, std::string_view Column, Sample &Result) {
  auto Required = [&](Range R) {
    if (Cell.empty())
      fail("is blank", "fill it in, or leave the row out", Column);
    return number(Cell, Column, R).value_or(0);
  };
  if (Column == "workload") {
    if (Cell.empty())
      fail("is blank", "name the workload of the row", Column);
    Result.Workload = Cell;
  } else if (Column == "core_mhz") {
    Result.Clocks.CoreMhz = Required(Range::Positive);
  } else if (Column == "mem_mhz") {
    Result.Clocks.MemMhz = number(Cell, Column, Range::ZeroIsNone);
  } else if (Column == "core_mv") {
    Result.Clocks.CoreMv = number(Cell, Column, Range::Positive);
  } else if (Column == "mem_mv") {
    Result.Clocks.MemMv = number(Cell, Column, Range::ZeroIsNone);
  } else if (Column == "time_s") {
    Result.TimeS = Required(Range::Positive);
  } else if (Column == "energy_j") {
    Result.EnergyJ = number(Cell, Column, Range::Positive);
  } else {
    Result.Counts.push_back(number(Cell, Column, Range::Any));
  }
}

void SamplesReader::take(std::vector<std::string> Cells) {
  if (Header.empty()) {
    takeHeader(std::move(Cells));
    return;
  }
  if (Cells.size() != Header.size()) {
    fail("has " + std::to_string(Cells.size()) + " cells where the first line names " +
             std::to_string(Header.size()) + " columns",
         "separate cells by commas, write numbers with a decimal point");
    return;
  }
  Sample Next;
  Next.Line = Line;
  for (std::size_t K = 0; K != Cells.size(); ++K)
    takeCell(Cells[K], Header[K], Next);
  Result.Rows.push_back(std::move(Next));
}

std::expected<Samples, Error> SamplesReader::finish() {
  if (Header.empty())
    fail("there is no line that names the columns", "begin with one");
  else if (Result.Rows.empty())
    fail("there are no rows below the names of the columns", "add a row for each measurement");
  if (First)
    return std::unexpected(std::move(*First));
  return std::move(Result);
}

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

std::expected<Samples, Error> parseSamples(std::string_view Text) {
  constexpr std::string_view ByteOrderMark = "\xEF\xBB\xBF";
  if (Text.starts_with(ByteOrderMark))
    Text.remove_prefix(ByteOrderMark.size());
  SamplesReader Reader;
  CsvLines Csv;
  while (!Text.empty() && !Reader.failed()) {
    const std::string_view Line = Text.substr(0, Text.find_first_of("\r\n"));
    Text.remove_prefix(Line.size());
    Text.remove_prefix(Text.starts_with("\r\n") ? 2 : std::min<std::size_t>(1, Text.size()));
    ++Reader.Line;
    std::optional<std::vector<std::string>> Cells = Csv.cells(Line);
    if (!Cells)
      Reader.fail("the quotes of a cell are broken",
                  "begin and end the cell with a quote on one line, write a quote in it twice");
    else if (!Cells->empty())
      Reader.take(std::move(*Cells));
  }
  return Reader.finish();
}

} // namespace ergon
