//===- SamplesFormatWrite.cpp - samples as CSV ----------------------------===//

#include "formats/json/CsvCell.h"
#include "formats/run/SamplesFormat.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

namespace ergon {

/// On one line, as parseSamples() wants it.
static std::string lineCell(const std::string &Text) {
  std::string Result = csvCell(Text);
  std::ranges::replace_if(Result, [](char C) { return C == '\r' || C == '\n'; }, ' ');
  return Result;
}

static std::string csvNumber(std::optional<double> Value) {
  if (!Value)
    return "";
  char Digits[32];
  return {Digits, std::to_chars(Digits, std::end(Digits), *Value).ptr};
}

std::string writeSamples(const Samples &S) {
  std::string Result;
  for (std::string_view Name : SampleColumns)
    Result += (Result.empty() ? "" : ",") + std::string(Name);
  for (const std::string &Class : S.Classes)
    Result += "," + lineCell(Class);
  for (const Sample &Row : S.Rows) {
    Result += "\n" + lineCell(Row.Workload);
    for (const std::optional<double> &Value :
         {Row.Clocks.CoreMhz, Row.Clocks.MemMhz, Row.Clocks.CoreMv, Row.Clocks.MemMv,
          std::optional(Row.TimeS), Row.EnergyJ})
      Result += "," + csvNumber(Value);
    for (const std::optional<double> &Count : Row.Counts)
      Result += "," + csvNumber(Count);
  }
  return Result + "\n";
}

} // namespace ergon
