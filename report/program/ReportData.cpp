//===- ReportData.cpp - ergon-report-data/1 -------------------------------===//

#include "report/program/ReportData.h"
#include "formats/prediction/PredictionJson.h"

#include <nlohmann/json.hpp>

namespace ergon {

using Json = nlohmann::ordered_json;

static constexpr std::string_view Schema = "ergon-report-data/1";

std::string writeReportData(const ReportData &Data) {
  Json Result = {{"schema", Schema},
                 {"compiler", Data.Compiler},
                 {"set", Data.Set},
                 {"strict", Data.IsStrict}};
  for (const char *Key : {"functions", "machines", "libraries", "sources", "records", "runs"})
    Result[Key] = Json::array();
  for (const ReportFunction &Function : Data.Functions)
    Result["functions"].push_back(
        {{"record", Function.Record}, {"name", Function.Name}, {"snapshot", Function.Snapshot}});
  for (const std::string &Machine : Data.Machines)
    Result["machines"].push_back(Machine);
  for (const std::string &Library : Data.Libraries)
    Result["libraries"].push_back(Library);
  for (const ReportSource &Source : Data.Sources)
    Result["sources"].push_back(
        {{"path", Source.Path}, {"state", Source.State}, {"text", Source.Text}});
  for (const ReportRecord &Record : Data.Records)
    Result["records"].push_back({{"text", Record.Text}, {"sources", Record.Sources}});
  for (const auto &[Function, Run] : Data.Runs) {
    Json &Next = Result["runs"].emplace_back(Json{{"function", Function},
                                                  {"source", Run.Source},
                                                  {"setting", jsonOf(Run.Clocks)},
                                                  {"time_s", Run.TimeS}});
    if (Run.EnergyJ)
      Next["energy_j"] = *Run.EnergyJ;
  }
  std::string Text;
  for (const char C : Result.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace))
    if (C == '<')
      Text += "\\u003c";
    else
      Text += C;
  return Text;
}

static std::vector<std::string> readTexts(JsonCursor Json) {
  std::vector<std::string> Result;
  for (JsonCursor Entry : Json.elements())
    Result.push_back(Entry.text());
  return Result;
}

/// A number of something of which there are \p Size.
static std::size_t readIndex(JsonCursor Json, std::size_t Size) {
  const std::int64_t Number = Json.integer();
  if (Json && !Json.failed() && (Number < 0 || std::uint64_t(Number) >= Size))
    Json.fail("there is no number " + std::to_string(Number), "make the report again");
  return std::size_t(Number);
}

Setting readClocks(JsonCursor Json) {
  Json.keys({}, {"core_mhz", "mem_mhz"});
  Setting Result;
  if (JsonCursor Core = Json["core_mhz"])
    Result.CoreMhz = Core.positive();
  if (JsonCursor Mem = Json["mem_mhz"])
    Result.MemMhz = Mem.positive();
  return Result;
}

static ReportData read(JsonCursor Root) {
  Root.keys({"schema", "compiler", "set", "strict", "functions", "machines", "libraries", "sources",
             "records", "runs"});
  ReportData Result;
  Result.Compiler = Root["compiler"].text("");
  for (const auto &[Name, Value] : Root["set"].members())
    Result.Set.emplace(Name, Value.text());
  Result.IsStrict = Root["strict"].boolean();
  Result.Machines = readTexts(Root["machines"]);
  Result.Libraries = readTexts(Root["libraries"]);
  for (JsonCursor Json : Root["sources"].elements()) {
    Json.keys({"path", "state", "text"});
    Result.Sources.push_back(
        {Json["path"].text(), Json["state"].text(), std::string(Json["text"].text(""))});
  }
  for (JsonCursor Entry : Root["records"].elements()) {
    Entry.keys({"text", "sources"});
    ReportRecord &Next = Result.Records.emplace_back(ReportRecord{Entry["text"].text()});
    for (const auto &[Path, Number] : Entry["sources"].members())
      Next.Sources.emplace(Path, readIndex(Number, Result.Sources.size()));
  }
  for (JsonCursor Element : Root["functions"].elements()) {
    Element.keys({"record", "name", "snapshot"});
    Result.Functions.push_back({readIndex(Element["record"], Result.Records.size()),
                                Element["name"].text(), Element["snapshot"].text()});
  }
  for (JsonCursor Element : Root["runs"].elements()) {
    Element.keys({"function", "source", "setting", "time_s"}, {"energy_j"});
    ReportRun &Next = Result.Runs.emplace_back(
        readIndex(Element["function"], Result.Functions.size()), MeasuredRun{});
    Next.Run.Source = Element["source"].text();
    Next.Run.Clocks = readClocks(Element["setting"]);
    Next.Run.TimeS = Element["time_s"].positive();
    if (JsonCursor Energy = Element["energy_j"])
      Next.Run.EnergyJ = Energy.positive();
  }
  return Result;
}

std::expected<ReportData, Error> parseReportData(std::string_view Text) {
  return readJson(Text, Schema, read);
}

} // namespace ergon
