//===- PipelineFormat.cpp - what a profile says of a core -----------------===//

#include "formats/profile/PipelineFormat.h"
#include "model/machine/CostClass.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace ergon {

using Json = nlohmann::ordered_json;

static constexpr std::array<std::string_view, 4> ElementNames = {"f32", "f64", "i32", "i64"};
static constexpr std::array<std::string_view, 4> LevelNames = {"l1", "l2", "l3", "dram"};

namespace {
struct PipelineReader {
  const std::map<std::string, Source> &Sources;
  std::set<std::string> Seen;

  MeasuredQuantity read(JsonCursor Json, double (JsonCursor::*Number)() const) const;
  MeasuredQuantity read(JsonCursor Json) const { return read(Json, &JsonCursor::positive); }
  std::optional<MeasuredQuantity> optional(JsonCursor Json) const {
    return Json ? std::optional(read(Json)) : std::nullopt;
  }
  PipelineOperation operation(JsonCursor Json);
  PipelineStream stream(JsonCursor Json);
  PipelineLatency latency(JsonCursor Json);
  PipelineTranslation translation(JsonCursor Json);
  PipelineRepeated repeated(JsonCursor Json);
  PipelineShare share(JsonCursor Json);
  PipelinePass pass(JsonCursor Json);
  void once(JsonCursor Json, const std::string &What);
};
} // namespace

MeasuredQuantity PipelineReader::read(JsonCursor Json, double (JsonCursor::*Number)() const) const {
  Json.keys({"value", "low", "high", "source"});
  const MeasuredQuantity Result = {
      {(Json["value"].*Number)(), readSourceKey(Json["source"], Sources)},
      (Json["low"].*Number)(),
      (Json["high"].*Number)()};
  if (!Json.failed() && !(Result.Low <= Result.Median.Value && Result.Median.Value <= Result.High))
    Json.fail("the value is not between low and high", "correct one of the three");
  return Result;
}

void PipelineReader::once(JsonCursor Json, const std::string &What) {
  if (!Seen.insert(What).second)
    Json.fail("stands here twice", "leave one of the two out");
}

static unsigned readCount(JsonCursor Json, std::int64_t Most) {
  const std::int64_t Value = Json.integer();
  if (!Json.failed() && (Value < 1 || Value > Most))
    Json.fail("is not between 1 and " + std::to_string(Most), "correct it");
  return unsigned(Value);
}

static std::string readWord(JsonCursor Json) {
  std::string Result = Json.text();
  if (!Json.failed() && !isClassName(Result))
    Json.fail(inQuotes(Result) + " is no name", "use letters, digits and underscores");
  return Result;
}

PipelineOperation PipelineReader::operation(JsonCursor Json) {
  Json.keys({"operation", "type", "bits"}, {"latency_s", "per_s"});
  PipelineOperation Result{readWord(Json["operation"]),
                           std::string(ElementNames[readChoice(Json["type"], ElementNames)]),
                           readCount(Json["bits"], 4096), optional(Json["latency_s"]),
                           optional(Json["per_s"])};
  if (!Json.failed() && !Result.LatencyS && !Result.PerS)
    Json.fail("has neither latency_s nor per_s", "give one of the two, or leave it out");
  once(Json, Result.Operation + " " + Result.Type + " " + std::to_string(Result.Bits));
  return Result;
}

PipelineStream PipelineReader::stream(JsonCursor Json) {
  Json.keys({"level", "access", "bits", "threads", "bytes_per_s"});
  PipelineStream Result{std::string(LevelNames[readChoice(Json["level"], LevelNames)]),
                        readWord(Json["access"]), readCount(Json["bits"], 4096),
                        readCount(Json["threads"], 1 << 20), read(Json["bytes_per_s"])};
  once(Json, Result.Level + " " + Result.Access + " " + std::to_string(Result.Bits) + " " +
                 std::to_string(Result.Threads));
  return Result;
}

PipelinePass PipelineReader::pass(JsonCursor Json) {
  Json.keys({"access", "bits", "fetched_bytes", "bytes_per_s"});
  PipelinePass Result{readWord(Json["access"]), readCount(Json["bits"], 4096),
                      Json["fetched_bytes"].positive(), read(Json["bytes_per_s"])};
  once(Json, "pass " + Result.Access + " " + std::to_string(Result.Bits) + " " +
                 std::to_string(Result.FetchedBytes));
  return Result;
}

PipelineShare PipelineReader::share(JsonCursor Json) {
  Json.keys({"threads", "busy", "waiting"});
  PipelineShare Result{readCount(Json["threads"], 1 << 20), read(Json["busy"]),
                       read(Json["waiting"])};
  once(Json, std::to_string(Result.Threads) + " threads");
  return Result;
}

PipelineLatency PipelineReader::latency(JsonCursor Json) {
  Json.keys({"level", "latency_s"});
  PipelineLatency Result{std::string(LevelNames[readChoice(Json["level"], LevelNames)]),
                         read(Json["latency_s"])};
  once(Json, Result.Level);
  return Result;
}

PipelineTranslation PipelineReader::translation(JsonCursor Json) {
  Json.keys({"pages", "load_s"});
  PipelineTranslation Result{readCount(Json["pages"], 1 << 30), read(Json["load_s"])};
  once(Json, std::to_string(Result.Pages) + " pages");
  return Result;
}

PipelineRepeated PipelineReader::repeated(JsonCursor Json) {
  Json.keys({"branches", "mispredicted"});
  PipelineRepeated Result{readCount(Json["branches"], 1 << 30),
                          read(Json["mispredicted"], &JsonCursor::nonNegative)};
  if (!Json.failed() && Result.Mispredicted.High > 1)
    Json["mispredicted"].fail("is more than 1", "write a share");
  once(Json, std::to_string(Result.Branches) + " branches");
  return Result;
}

Pipeline readPipeline(JsonCursor Json, const std::map<std::string, Source> &Sources) {
  Json.keys({"operations", "streams", "latencies"},
            {"core_hz", "issue_per_s", "window", "slot_window", "shares", "passes", "translations",
             "repeated_branches"});
  PipelineReader Reader{Sources, {}};
  Pipeline Result;
  Result.CoreHz = Reader.optional(Json["core_hz"]);
  Result.IssuePerS = Reader.optional(Json["issue_per_s"]);
  Result.SchedulerWindow = Reader.optional(Json["window"]);
  Result.ReorderWindow = Reader.optional(Json["slot_window"]);
  if (JsonCursor Shares = Json["shares"])
    for (JsonCursor Entry : Shares.elements())
      Result.Shares.push_back(Reader.share(Entry));
  for (JsonCursor Element : Json["operations"].elements())
    Result.Operations.push_back(Reader.operation(Element));
  for (JsonCursor Field : Json["streams"].elements())
    Result.Streams.push_back(Reader.stream(Field));
  if (JsonCursor Passes = Json["passes"])
    for (JsonCursor Pass : Passes.elements())
      Result.Passes.push_back(Reader.pass(Pass));
  std::ranges::sort(Result.Passes, {}, &PipelinePass::FetchedBytes);
  for (JsonCursor Node : Json["latencies"].elements())
    Result.Latencies.push_back(Reader.latency(Node));
  if (JsonCursor Translations = Json["translations"])
    for (JsonCursor Item : Translations.elements())
      Result.Translations.push_back(Reader.translation(Item));
  std::ranges::sort(Result.Translations, {}, &PipelineTranslation::Pages);
  if (JsonCursor Repeated = Json["repeated_branches"])
    for (JsonCursor J : Repeated.elements())
      Result.Repeated.push_back(Reader.repeated(J));
  std::ranges::sort(Result.Repeated, {}, &PipelineRepeated::Branches);
  return Result;
}

static Json written(const MeasuredQuantity &Quantity) {
  return {{"value", Quantity.Median.Value},
          {"low", Quantity.Low},
          {"high", Quantity.High},
          {"source", Quantity.Median.Source}};
}

Json writePipeline(const Pipeline &P) {
  Json Result = Json::object();
  if (P.CoreHz)
    Result["core_hz"] = written(*P.CoreHz);
  if (P.IssuePerS)
    Result["issue_per_s"] = written(*P.IssuePerS);
  if (P.SchedulerWindow)
    Result["window"] = written(*P.SchedulerWindow);
  if (P.ReorderWindow)
    Result["slot_window"] = written(*P.ReorderWindow);
  for (const PipelineShare &Share : P.Shares)
    Result["shares"].push_back({{"threads", Share.Threads},
                                {"busy", written(Share.Busy)},
                                {"waiting", written(Share.Waiting)}});
  Json &Operations = Result["operations"] = Json::array();
  for (const PipelineOperation &Operation : P.Operations) {
    Json &To = Operations.emplace_back(Json{
        {"operation", Operation.Operation}, {"type", Operation.Type}, {"bits", Operation.Bits}});
    if (Operation.LatencyS)
      To["latency_s"] = written(*Operation.LatencyS);
    if (Operation.PerS)
      To["per_s"] = written(*Operation.PerS);
  }
  Json &Streams = Result["streams"] = Json::array();
  for (const PipelineStream &Stream : P.Streams)
    Streams.push_back({{"level", Stream.Level},
                       {"access", Stream.Access},
                       {"bits", Stream.Bits},
                       {"threads", Stream.Threads},
                       {"bytes_per_s", written(Stream.BytesPerS)}});
  for (const PipelinePass &Pass : P.Passes)
    Result["passes"].push_back({{"access", Pass.Access},
                                {"bits", Pass.Bits},
                                {"fetched_bytes", Pass.FetchedBytes},
                                {"bytes_per_s", written(Pass.BytesPerS)}});
  Json &Latencies = Result["latencies"] = Json::array();
  for (const PipelineLatency &Latency : P.Latencies)
    Latencies.push_back({{"level", Latency.Level}, {"latency_s", written(Latency.LatencyS)}});
  for (const PipelineTranslation &Translation : P.Translations)
    Result["translations"].push_back(
        {{"pages", Translation.Pages}, {"load_s", written(Translation.LoadS)}});
  for (const PipelineRepeated &Repeated : P.Repeated)
    Result["repeated_branches"].push_back(
        {{"branches", Repeated.Branches}, {"mispredicted", written(Repeated.Mispredicted)}});
  return Result;
}

} // namespace ergon
