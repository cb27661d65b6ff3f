//===- LogText.cpp - lines and cells of a tool's log ----------------------===//

#include "formats/import/LogText.h"
#include "formats/json/Json.h"

#include <csv.h>

#include <algorithm>

namespace ergon {

std::string_view trimmed(std::string_view Text) {
  constexpr std::string_view Spaces = " \t\r";
  const std::size_t First = Text.find_first_not_of(Spaces);
  if (First == std::string_view::npos)
    return {};
  return Text.substr(First, Text.find_last_not_of(Spaces) - First + 1);
}

std::expected<std::vector<LogLine>, Error> logLines(std::string_view Text) {
  if (Text.starts_with("\xFF\xFE") || Text.starts_with("\xFE\xFF"))
    return std::unexpected(Error{"is UTF-16, as PowerShell writes what it redirects", "",
                                 "convert it: iconv -f utf-16 -t utf-8 FILE", ""});
  if (Text.starts_with("\xEF\xBB\xBF"))
    Text.remove_prefix(3);
  if (has(Text.substr(0, 65536), std::string_view("\0", 1)))
    return std::unexpected(
        Error{"is no text", "", "give the CSV that the tool exports, not its own report file", ""});
  std::vector<LogLine> Result;
  for (std::size_t Number = 1; !Text.empty(); ++Number) {
    const std::size_t Size = Text.find('\n');
    const std::string_view Line = trimmed(Text.substr(0, Size));
    if (!Line.empty())
      Result.push_back({Line, Number, Size != std::string_view::npos});
    Text.remove_prefix(Size == std::string_view::npos ? Text.size() : Size + 1);
  }
  if (Result.empty())
    return std::unexpected(Error{"is empty", "", "give the output of a tool", ""});
  return Result;
}

namespace {
struct CsvRow {
  std::vector<std::string> Cells;
  bool Ended = false;
};
} // namespace

std::optional<std::vector<std::string>> csvCells(std::string_view Line, char Separator) {
  csv_parser Parser;
  csv_init(&Parser, CSV_STRICT);
  csv_set_delim(&Parser, static_cast<unsigned char>(Separator));
  CsvRow Row;
  auto Take = [](void *Text, std::size_t Size, void *Target) {
    static_cast<CsvRow *>(Target)->Cells.emplace_back(
        trimmed({static_cast<const char *>(Text), Size}));
  };
  auto End = [](int, void *Target) { static_cast<CsvRow *>(Target)->Ended = true; };
  bool IsGood = true;
  for (std::string_view Part : {Line, std::string_view("\n")})
    IsGood = IsGood && csv_parse(&Parser, Part.data(), Part.size(), Take, End, &Row) == Part.size();
  csv_free(&Parser);
  if (!IsGood || !Row.Ended)
    return std::nullopt;
  return std::move(Row.Cells);
}

std::vector<std::string> words(std::string_view Line) {
  std::vector<std::string> Result;
  while (!(Line = trimmed(Line)).empty()) {
    const std::size_t Size = std::min(Line.find_first_of(" \t"), Line.size());
    Result.emplace_back(Line.substr(0, Size));
    Line.remove_prefix(Size);
  }
  return Result;
}

Error lineError(const LogLine &Line, std::string What, std::string Fix) {
  return {std::move(What), "line " + std::to_string(Line.Number), std::move(Fix), ""};
}

std::optional<std::size_t> columnOf(const std::vector<std::string> &Cells,
                                    std::initializer_list<std::string_view> Names) {
  for (std::string_view Name : Names)
    if (auto Found = std::ranges::find(Cells, Name); Found != Cells.end())
      return std::size_t(Found - Cells.begin());
  return std::nullopt;
}

std::string cutOffNote(const LogLine &Line) {
  return "line " + std::to_string(Line.Number) + " is cut off and was left out";
}

} // namespace ergon
