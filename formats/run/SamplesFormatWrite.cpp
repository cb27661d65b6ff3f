//===- SamplesFormatWrite.cpp - samples as CSV ----------------------------===//

#include "formats/run/SamplesFormat.h"

#include <charconv>
#include <iterator>
#include <optional>

namespace ergon {

/// As RFC 4180 has it, but on one line, as parseSamples() wants it.
static std::string csvCell(const std::string &Text) {
  if (Text.find_first_of(",\"\r\n") == std::string::npos)
    return Text;
  std::string Result = "\"";
  for (const char C : Text)
    Result += C == '"' ? "\"\"" : C == '\r' || C == '\n' ? " " : std::string(1, C);
  return Result + "\"";
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
    Result += "," + csvCell(Class);
  for (const Sample &Row : S.Rows) {
    Result += "\n" + csvCell(Row.Workload);
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
