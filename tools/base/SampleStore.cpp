//===- SampleStore.cpp - files of measured runs ---------------------------===//

#include "tools/base/SampleStore.h"
#include "formats/json/CsvCell.h"
#include "formats/run/SamplesFormat.h"
#include "model/fit/ColumnChecks.h"
#include "predict/store/ParsedFile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ergon {

std::expected<CheckedSamples, Error> loadSamples(const std::string &Path,
                                                 const std::string &Family) {
  auto Table = parseFile(Path, parseSamples);
  if (!Table)
    return std::unexpected(Table.error());
  try {
    nameFamilies(*Table, Family.empty() ? std::nullopt : std::optional(std::regex(Family)));
  } catch (const std::regex_error &Bad) {
    return std::unexpected(Error{inQuotes(Family) + " is no regular expression: " + Bad.what(),
                                 "--family", "write one as ECMAScript has it, such as '^[^/]*'",
                                 ""});
  }
  CheckedSamples Result{std::move(*Table), {}};
  Result.Report = checkSamples(Result.Table);
  for (const SampleFinding &Finding : Result.Report.Findings)
    if (Finding.Level == Severity::Error)
      return std::unexpected(Error{Finding.Text + " [" + Finding.Id + "]", "", "", Path});
  std::ranges::move(checkNames(Result.Table), std::back_inserter(Result.Report.Findings));
  return Result;
}

void warn(const std::string &Path, const SampleReport &Report) {
  for (const SampleFinding &Finding : Report.Findings)
    fmt::print(stderr, "ergon: warning: {}: {} [{}]\n", Path, Finding.Text, Finding.Id);
}

nlohmann::ordered_json toJson(const FitErrors &Errors) {
  return {{"mean", Errors.Mean},
          {"sd", Errors.Sd},
          {"min", Errors.Least},
          {"median", Errors.Median},
          {"max", Errors.Most}};
}

std::string residualsCsv(const Samples &S,
                         const std::vector<std::pair<std::string, std::vector<double>>> &Errors) {
  std::string Result = "workload,core_mhz,mem_mhz,time_s,energy_j";
  for (const auto &[Name, Values] : Errors)
    Result += "," + Name;
  Result += "\n";
  auto Target = std::back_inserter(Result);
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row) {
    const Sample &Element = S.Rows[Row];
    fmt::format_to(Target, "{},{},{},{},{}", csvCell(Element.Workload), *Element.Clocks.CoreMhz,
                   Element.Clocks.MemMhz ? fmt::format("{}", *Element.Clocks.MemMhz) : "",
                   Element.TimeS, Element.EnergyJ ? fmt::format("{}", *Element.EnergyJ) : "");
    for (const auto &[Name, Values] : Errors)
      fmt::format_to(Target, ",{}",
                     std::isnan(Values[Row]) ? "" : fmt::format("{:.6g}", Values[Row]));
    Result += "\n";
  }
  return Result;
}

std::expected<std::vector<Setting>, Error>
settingsNamed(const std::vector<std::string> &Texts, const Samples &S, const std::string &Option) {
  std::vector<Setting> Result;
  for (const std::string &Text : Texts) {
    bool IsThere = false;
    for (const Sample &Row : S.Rows) {
      const std::string Core = fmt::format("{:g}", *Row.Clocks.CoreMhz);
      if (Text != Core && Text != fmt::format("{}/{:g}", Core, Row.Clocks.MemMhz.value_or(0)))
        continue;
      IsThere = true;
      if (std::ranges::none_of(Result,
                               [&](const Setting &Known) { return Known.sameClocks(Row.Clocks); }))
        Result.push_back(Row.Clocks);
    }
    if (!IsThere)
      return std::unexpected(Error{"no row has the setting " + inQuotes(Text), Option,
                                   "write CORE_MHZ or CORE_MHZ/MEM_MHZ of some rows", ""});
  }
  return Result;
}

} // namespace ergon
