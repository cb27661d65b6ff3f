//===- SampleStore.cpp - files of measured runs ---------------------------===//

#include "tools/base/SampleStore.h"
#include "formats/run/SamplesFormat.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <iterator>

namespace ergon {

std::expected<CheckedSamples, Error> loadSamples(const std::string &Path) {
  const std::expected<std::string, Error> Text = readTextFile(Path);
  if (!Text)
    return std::unexpected(Text.error());
  std::expected<Samples, Error> Table = parseSamples(*Text);
  if (!Table) {
    Table.error().File = Path;
    return std::unexpected(Table.error());
  }
  CheckedSamples Result{std::move(*Table), {}};
  Result.Report = checkSamples(Result.Table);
  for (const SampleFinding &Each : Result.Report.Findings)
    if (Each.Level == Severity::Error)
      return std::unexpected(Error{Each.Text, "", "", Path});
  return Result;
}

void warn(const std::string &Path, const SampleReport &Of) {
  for (const SampleFinding &Each : Of.Findings)
    fmt::print(stderr, "ergon: warning: {}: {} [{}]\n", Path, Each.Text, Each.Id);
}

nlohmann::ordered_json toJson(const FitErrors &Of) {
  return {
      {"mean", Of.Mean}, {"sd", Of.Sd}, {"min", Of.Least}, {"median", Of.Median}, {"max", Of.Most}};
}

/// As RFC 4180 has it.
static std::string cell(const std::string &Text) {
  if (Text.find_first_of(",\"\r\n") == std::string::npos)
    return Text;
  std::string Result = "\"";
  for (char C : Text)
    Result += C == '"' ? std::string("\"\"") : std::string(1, C);
  return Result + "\"";
}

std::string residualsCsv(const Samples &Of,
                         const std::vector<std::pair<std::string, std::vector<double>>> &Errors) {
  std::string Result = "workload,core_mhz,mem_mhz,time_s,energy_j";
  for (const auto &[Name, Values] : Errors)
    Result += "," + Name;
  Result += "\n";
  auto Into = std::back_inserter(Result);
  for (std::size_t Row = 0; Row != Of.Rows.size(); ++Row) {
    const Sample &Each = Of.Rows[Row];
    fmt::format_to(Into, "{},{},{},{},{}", cell(Each.Workload), *Each.At.CoreMhz,
                   Each.At.MemMhz ? fmt::format("{}", *Each.At.MemMhz) : "", Each.TimeS,
                   Each.EnergyJ ? fmt::format("{}", *Each.EnergyJ) : "");
    for (const auto &[Name, Values] : Errors)
      fmt::format_to(Into, ",{}",
                     std::isnan(Values[Row]) ? "" : fmt::format("{:.6g}", Values[Row]));
    Result += "\n";
  }
  return Result;
}

} // namespace ergon
