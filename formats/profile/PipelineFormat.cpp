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

  MeasuredQuantity read(JsonCursor At, double (JsonCursor::*Number)() const) const;
  MeasuredQuantity read(JsonCursor At) const { return read(At, &JsonCursor::positive); }
  std::optional<MeasuredQuantity> optional(JsonCursor At) const {
    return At ? std::optional(read(At)) : std::nullopt;
  }
  PipelineOperation operation(JsonCursor At);
  PipelineStream stream(JsonCursor At);
  PipelineLatency latency(JsonCursor At);
  PipelineTranslation translation(JsonCursor At);
  PipelineRepeated repeated(JsonCursor At);
  PipelineShare share(JsonCursor At);
  void once(JsonCursor At, const std::string &What);
};
} // namespace

MeasuredQuantity PipelineReader::read(JsonCursor At, double (JsonCursor::*Number)() const) const {
  At.keys({"value", "low", "high", "source"});
  const MeasuredQuantity Result = {{(At["value"].*Number)(), readSourceKey(At["source"], Sources)},
                                   (At["low"].*Number)(),
                                   (At["high"].*Number)()};
  if (!At.failed() && !(Result.Low <= Result.Of.Value && Result.Of.Value <= Result.High))
    At.fail("the value is not between low and high", "correct one of the three");
  return Result;
}

void PipelineReader::once(JsonCursor At, const std::string &What) {
  if (!Seen.insert(What).second)
    At.fail("stands here twice", "leave one of the two out");
}

static unsigned readCount(JsonCursor At, std::int64_t Most) {
  const std::int64_t Value = At.integer();
  if (!At.failed() && (Value < 1 || Value > Most))
    At.fail("is not between 1 and " + std::to_string(Most), "correct it");
  return unsigned(Value);
}

static std::string readWord(JsonCursor At) {
  std::string Result = At.text();
  if (!At.failed() && !isClassName(Result))
    At.fail(inQuotes(Result) + " is no name", "use letters, digits and underscores");
  return Result;
}

PipelineOperation PipelineReader::operation(JsonCursor At) {
  At.keys({"operation", "type", "bits"}, {"latency_s", "per_s"});
  PipelineOperation Result{
      readWord(At["operation"]), std::string(ElementNames[readChoice(At["type"], ElementNames)]),
      readCount(At["bits"], 4096), optional(At["latency_s"]), optional(At["per_s"])};
  if (!At.failed() && !Result.LatencyS && !Result.PerS)
    At.fail("has neither latency_s nor per_s", "give one of the two, or leave it out");
  once(At, Result.Operation + " " + Result.Type + " " + std::to_string(Result.Bits));
  return Result;
}

PipelineStream PipelineReader::stream(JsonCursor At) {
  At.keys({"level", "access", "bits", "threads", "bytes_per_s"});
  PipelineStream Result{std::string(LevelNames[readChoice(At["level"], LevelNames)]),
                        readWord(At["access"]), readCount(At["bits"], 4096),
                        readCount(At["threads"], 1 << 20), read(At["bytes_per_s"])};
  once(At, Result.Level + " " + Result.Access + " " + std::to_string(Result.Bits) + " " +
               std::to_string(Result.Threads));
  return Result;
}

PipelineShare PipelineReader::share(JsonCursor At) {
  At.keys({"threads", "busy", "waiting"});
  PipelineShare Result{readCount(At["threads"], 1 << 20), read(At["busy"]), read(At["waiting"])};
  once(At, std::to_string(Result.Threads) + " threads");
  return Result;
}

PipelineLatency PipelineReader::latency(JsonCursor At) {
  At.keys({"level", "latency_s"});
  PipelineLatency Result{std::string(LevelNames[readChoice(At["level"], LevelNames)]),
                         read(At["latency_s"])};
  once(At, Result.Level);
  return Result;
}

PipelineTranslation PipelineReader::translation(JsonCursor At) {
  At.keys({"pages", "load_s"});
  PipelineTranslation Result{readCount(At["pages"], 1 << 30), read(At["load_s"])};
  once(At, std::to_string(Result.Pages) + " pages");
  return Result;
}

PipelineRepeated PipelineReader::repeated(JsonCursor At) {
  At.keys({"branches", "mispredicted"});
  PipelineRepeated Result{readCount(At["branches"], 1 << 30),
                          read(At["mispredicted"], &JsonCursor::nonNegative)};
  if (!At.failed() && Result.Mispredicted.High > 1)
    At["mispredicted"].fail("is more than 1", "write a share");
  once(At, std::to_string(Result.Branches) + " branches");
  return Result;
}

Pipeline readPipeline(JsonCursor At, const std::map<std::string, Source> &Sources) {
  At.keys({"operations", "streams", "latencies"},
          {"core_hz", "issue_per_s", "window", "slot_window", "shares", "translations",
           "repeated_branches"});
  PipelineReader Reader{Sources, {}};
  Pipeline Result;
  Result.CoreHz = Reader.optional(At["core_hz"]);
  Result.IssuePerS = Reader.optional(At["issue_per_s"]);
  Result.Window = Reader.optional(At["window"]);
  Result.SlotWindow = Reader.optional(At["slot_window"]);
  if (JsonCursor Shares = At["shares"])
    for (JsonCursor Each : Shares.elements())
      Result.Shares.push_back(Reader.share(Each));
  for (JsonCursor Each : At["operations"].elements())
    Result.Operations.push_back(Reader.operation(Each));
  for (JsonCursor Each : At["streams"].elements())
    Result.Streams.push_back(Reader.stream(Each));
  for (JsonCursor Each : At["latencies"].elements())
    Result.Latencies.push_back(Reader.latency(Each));
  if (JsonCursor Translations = At["translations"])
    for (JsonCursor Each : Translations.elements())
      Result.Translations.push_back(Reader.translation(Each));
  std::ranges::sort(Result.Translations, {}, &PipelineTranslation::Pages);
  if (JsonCursor Repeated = At["repeated_branches"])
    for (JsonCursor Each : Repeated.elements())
      Result.Repeated.push_back(Reader.repeated(Each));
  std::ranges::sort(Result.Repeated, {}, &PipelineRepeated::Branches);
  return Result;
}

static Json written(const MeasuredQuantity &Of) {
  return {{"value", Of.Of.Value}, {"low", Of.Low}, {"high", Of.High}, {"source", Of.Of.Source}};
}

Json writePipeline(const Pipeline &Of) {
  Json Result = Json::object();
  if (Of.CoreHz)
    Result["core_hz"] = written(*Of.CoreHz);
  if (Of.IssuePerS)
    Result["issue_per_s"] = written(*Of.IssuePerS);
  if (Of.Window)
    Result["window"] = written(*Of.Window);
  if (Of.SlotWindow)
    Result["slot_window"] = written(*Of.SlotWindow);
  for (const PipelineShare &Each : Of.Shares)
    Result["shares"].push_back({{"threads", Each.Threads},
                                {"busy", written(Each.Busy)},
                                {"waiting", written(Each.Waiting)}});
  Json &Operations = Result["operations"] = Json::array();
  for (const PipelineOperation &Each : Of.Operations) {
    Json &To = Operations.emplace_back(
        Json{{"operation", Each.Operation}, {"type", Each.Type}, {"bits", Each.Bits}});
    if (Each.LatencyS)
      To["latency_s"] = written(*Each.LatencyS);
    if (Each.PerS)
      To["per_s"] = written(*Each.PerS);
  }
  Json &Streams = Result["streams"] = Json::array();
  for (const PipelineStream &Each : Of.Streams)
    Streams.push_back({{"level", Each.Level},
                       {"access", Each.Access},
                       {"bits", Each.Bits},
                       {"threads", Each.Threads},
                       {"bytes_per_s", written(Each.BytesPerS)}});
  Json &Latencies = Result["latencies"] = Json::array();
  for (const PipelineLatency &Each : Of.Latencies)
    Latencies.push_back({{"level", Each.Level}, {"latency_s", written(Each.LatencyS)}});
  for (const PipelineTranslation &Each : Of.Translations)
    Result["translations"].push_back({{"pages", Each.Pages}, {"load_s", written(Each.LoadS)}});
  for (const PipelineRepeated &Each : Of.Repeated)
    Result["repeated_branches"].push_back(
        {{"branches", Each.Branches}, {"mispredicted", written(Each.Mispredicted)}});
  return Result;
}

} // namespace ergon
