//===- ReportData.cpp - ergon-report-data/1 -------------------------------===//

#include "report/program/ReportData.h"
#include "formats/json/Json.h"

#include <nlohmann/json.hpp>

namespace ergon {

using Json = nlohmann::ordered_json;

static constexpr std::string_view Schema = "ergon-report-data/1";

std::string writeReportData(const ReportData &Of) {
  Json Result = {{"schema", Schema}, {"compiler", Of.Compiler}, {"set", Of.Set}};
  for (const char *Key : {"functions", "machines", "libraries", "sources", "records"})
    Result[Key] = Json::array();
  for (const ReportFunction &Each : Of.Functions)
    Result["functions"].push_back(
        {{"record", Each.Record}, {"name", Each.Name}, {"snapshot", Each.Snapshot}});
  for (const std::string &Each : Of.Machines)
    Result["machines"].push_back(Each);
  for (const std::string &Each : Of.Libraries)
    Result["libraries"].push_back(Each);
  for (const ReportSource &Each : Of.Sources)
    Result["sources"].push_back({{"path", Each.Path}, {"state", Each.State}, {"text", Each.Text}});
  for (const ReportRecord &Each : Of.Records)
    Result["records"].push_back({{"text", Each.Text}, {"sources", Each.Sources}});
  std::string Text;
  for (const char C : Result.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace))
    if (C == '<')
      Text += "\\u003c";
    else
      Text += C;
  return Text;
}

static std::vector<std::string> readTexts(JsonCursor At) {
  std::vector<std::string> Result;
  for (JsonCursor Each : At.elements())
    Result.push_back(Each.text());
  return Result;
}

/// A number of something of which there are \p Size.
static std::size_t readIndex(JsonCursor At, std::size_t Size) {
  const std::int64_t Number = At.integer();
  if (At && !At.failed() && (Number < 0 || std::uint64_t(Number) >= Size))
    At.fail("there is no number " + std::to_string(Number), "make the report again");
  return std::size_t(Number);
}

static ReportData read(JsonCursor Root) {
  Root.keys(
      {"schema", "compiler", "set", "functions", "machines", "libraries", "sources", "records"});
  ReportData Result;
  Result.Compiler = Root["compiler"].text("");
  for (const auto &[Name, Value] : Root["set"].members())
    Result.Set.emplace(Name, Value.text());
  Result.Machines = readTexts(Root["machines"]);
  Result.Libraries = readTexts(Root["libraries"]);
  for (JsonCursor Each : Root["sources"].elements()) {
    Each.keys({"path", "state", "text"});
    Result.Sources.push_back(
        {Each["path"].text(), Each["state"].text(), std::string(Each["text"].text(""))});
  }
  for (JsonCursor Each : Root["records"].elements()) {
    Each.keys({"text", "sources"});
    ReportRecord &Next = Result.Records.emplace_back(ReportRecord{Each["text"].text()});
    for (const auto &[Path, Number] : Each["sources"].members())
      Next.Sources.emplace(Path, readIndex(Number, Result.Sources.size()));
  }
  for (JsonCursor Each : Root["functions"].elements()) {
    Each.keys({"record", "name", "snapshot"});
    Result.Functions.push_back({readIndex(Each["record"], Result.Records.size()),
                                Each["name"].text(), Each["snapshot"].text()});
  }
  return Result;
}

std::expected<ReportData, Error> parseReportData(std::string_view Text) {
  return readJson(Text, Schema, read);
}

} // namespace ergon
