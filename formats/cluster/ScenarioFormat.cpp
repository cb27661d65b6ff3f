//===- ScenarioFormat.cpp - ergon-scenario/1: nodes and phases ------------===//

#include "formats/cluster/ScenarioFormat.h"
#include "formats/cluster/ScenarioReader.h"
#include "formats/json/SourceFormat.h"
#include "model/cluster/Collectives.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ergon {

static constexpr std::string_view ScenarioSchema = "ergon-scenario/1";

std::int64_t readPositiveInteger(JsonCursor Json) {
  const std::int64_t Count = Json.integer();
  if (Count < 1)
    Json.fail("is " + std::to_string(Count) + " where a number above 0 is wanted",
              "write a number above 0");
  return std::max<std::int64_t>(Count, 1);
}

std::uint64_t readBytes(JsonCursor Json) {
  const double Bytes = Json.nonNegative();
  if (Bytes < 0 || Bytes != std::floor(Bytes) || Bytes > 0x1p53) {
    Json.fail("is no whole number of bytes", "write a whole number up to 2^53");
    return 0;
  }
  return std::uint64_t(Bytes);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

std::string ScenarioReader::readName(JsonCursor Json) {
  const std::string Name = Json.text();
  const bool Good = std::ranges::all_of(Name, [](char C) {
    return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') || (C >= '0' && C <= '9') || C == '_' ||
           C == '-' || C == '.';
  });
  if (!Good)
    Json.fail(inQuotes(Name) + " cannot name a processor",
              "use letters, digits, underscores, dots and hyphens");
  return Name;
}

Link ScenarioReader::readLink(JsonCursor Json) {
  Json.keys({"bandwidth_bytes_per_s", "latency_s"});
  return {Json["bandwidth_bytes_per_s"].positive(), Json["latency_s"].nonNegative()};
}

ScenarioProcessor ScenarioReader::readProcessor(JsonCursor Json, std::string Name) {
  ScenarioProcessor Processor;
  Processor.Name = std::move(Name);
  if (JsonCursor Model = Json["machine"]) {
    auto Loaded = From.LoadMachine(Model.text());
    if (!Loaded && !Json.failed())
      Model.fail(Loaded.error().line(), "see `ergon machine list`");
    else if (Loaded) {
      Processor.Model = std::move(*Loaded);
      Processor.Clocks = Processor.Model->defaultSetting();
    }
  }
  Processor.Clocks = readSetting(Json, Processor);
  if (JsonCursor Idle = Json["idle_w"])
    Processor.IdleW = Idle.nonNegative();
  const std::optional<double> Idle = idlePower(Processor, Processor.Clocks);
  if (!Idle)
    Json.fail("the idle power of " + inQuotes(Processor.Name) + " is not known",
              "give idle_w, or a machine whose profile has a constant power");
  Processor.Kind = Result.Steps.Kinds.size();
  ProcessorKind Kind;
  if (JsonCursor Off = Json["off_w"])
    Kind.OffW = Off.nonNegative();
  Kind.States = {{1, Idle.value_or(0), Idle.value_or(0)}};
  OnlyRests.insert(Processor.Kind);
  Result.Steps.Kinds.push_back(std::move(Kind));
  return Processor;
}

void ScenarioReader::readGroup(JsonCursor Json) {
  Json.keys({"name"}, {"count", "machine", "core_mhz", "mem_mhz", "idle_w", "off_w", "gpus"});
  ScenarioGroup Group;
  Group.Node = readProcessor(Json, readName(Json["name"]));
  JsonCursor Count = Json["count"];
  Group.Count = Count ? std::size_t(readPositiveInteger(Count)) : 1;
  // Far more nodes than SimGrid has memory for.
  if (Group.Count > 1'000'000) {
    Count.fail("is more nodes than can be simulated", "simulate a smaller part");
    return;
  }
  std::vector<Link> Links;
  if (JsonCursor Gpus = Json["gpus"])
    for (JsonCursor Entry : Gpus.elements()) {
      Entry.keys({"name", "link"}, {"machine", "core_mhz", "mem_mhz", "idle_w", "off_w"});
      Group.Gpus.push_back(readProcessor(Entry, readName(Entry["name"])));
      Links.push_back(readLink(Entry["link"]));
    }
  Group.FirstRank = Result.Steps.Ranks.size();
  Group.FirstProcessor = Result.Steps.Processors.size();
  addProcessors(Group, Links, Json);
  Groups.push_back(std::move(Group));
}

void ScenarioReader::addProcessors(const ScenarioGroup &Group, const std::vector<Link> &Links,
                                   JsonCursor Json) {
  Plan &Target = Result.Steps;
  std::set<std::string> Taken;
  for (const Processor &P : Target.Processors)
    Taken.insert(P.Name);
  auto Add = [&](std::string Name, std::size_t Kind) {
    if (!Taken.insert(Name).second)
      Json.fail("two processors are called " + inQuotes(Name), "give one another name");
    Target.Processors.push_back({std::move(Name), Kind});
    return Target.Processors.size() - 1;
  };
  for (std::size_t Number = 0; Number < Group.Count; ++Number) {
    const std::string Name =
        Group.Node.Name + (Group.Count == 1 ? "" : "-" + std::to_string(Number));
    const std::size_t Node = Add(Name, Group.Node.Kind);
    Target.Ranks.push_back(Node);
    for (std::size_t Gpu = 0; Gpu < Group.Gpus.size(); ++Gpu)
      Target.Attached.push_back(
          {Add(Name + "-" + Group.Gpus[Gpu].Name, Group.Gpus[Gpu].Kind), Node, Links[Gpu]});
  }
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

bool ScenarioReader::hasRoom(JsonCursor Json, double More) {
  Events += More;
  if (Events > 1e7)
    Json.fail("makes more than 10 million tasks and messages in all", "simulate a smaller part");
  return Events <= 1e7 && !Json.failed();
}

std::size_t ScenarioReader::readRank(JsonCursor Json) {
  const std::int64_t Rank = Json.integer();
  const std::size_t Count = Result.Steps.Ranks.size();
  if (Rank >= 0 && std::size_t(Rank) < Count)
    return std::size_t(Rank);
  Json.fail("there is no rank " + std::to_string(Rank),
            "a node is a rank: 0 to " + std::to_string(Count - 1));
  return 0;
}

std::vector<std::size_t> ScenarioReader::readRanks(JsonCursor Json) {
  std::vector<std::size_t> Ranks;
  if (!Json)
    for (std::size_t Rank = 0; Rank < Result.Steps.Ranks.size(); ++Rank)
      Ranks.push_back(Rank);
  else
    for (JsonCursor Entry : Json.elements()) {
      Ranks.push_back(readRank(Entry));
      if (std::count(Ranks.begin(), Ranks.end(), Ranks.back()) > 1)
        Entry.fail("is a rank that was named before", "name each once");
    }
  if (Ranks.empty())
    Json.fail("names no rank", "name one, or leave the key out for all");
  return Ranks;
}

const ScenarioGroup &ScenarioReader::groupOf(std::size_t Rank) const {
  auto After = std::ranges::upper_bound(Groups, Rank, {}, &ScenarioGroup::FirstRank);
  return *std::prev(After);
}

std::size_t ScenarioReader::placeOf(const ScenarioGroup &Group, JsonCursor Json) {
  if (!Json)
    return 0;
  const std::string Name = Json.text();
  auto Found = std::ranges::find(Group.Gpus, Name, &ScenarioProcessor::Name);
  if (Found == Group.Gpus.end()) {
    Json.fail("node " + inQuotes(Group.Node.Name) + " has no GPU that is called " + inQuotes(Name),
              "give one of its gpus, or ranks that have it");
    return 0;
  }
  return 1 + std::size_t(Found - Group.Gpus.begin());
}

void ScenarioReader::readCompute(JsonCursor Json, std::vector<Step> &Result) {
  Json.keys({"compute"}, {"ranks"});
  const auto Ranks = readRanks(Json["ranks"]);
  const auto Entries = Json["compute"].elements();
  // Of each group that takes part: where and what, the same on all its nodes.
  std::map<const ScenarioGroup *, std::vector<std::pair<std::size_t, ProcessorWork>>> Parts;
  for (std::size_t Rank : Ranks) {
    const ScenarioGroup &Group = groupOf(Rank);
    auto [Found, New] = Parts.try_emplace(&Group);
    if (New)
      for (JsonCursor Entry : Entries) {
        const std::size_t Place = placeOf(Group, Entry["on"]);
        if (std::ranges::find(Found->second, Place, [](auto &P) { return P.first; }) !=
            Found->second.end())
          Entry.fail("is on a processor that has work in this phase", "make it a phase of its own");
        Found->second.emplace_back(Place, readWork(Entry, Group.at(Place)));
      }
    ComputeStep Now{Rank, {}};
    for (auto [Place, Part] : Found->second) {
      Part.Processor = Group.processorOf(Rank, Place);
      if (!hasRoom(Json, double(Part.Tasks)))
        return;
      if (Part.Tasks)
        Now.Parts.push_back(Part);
    }
    Result.push_back(std::move(Now));
  }
}

bool ScenarioReader::hasNetwork(JsonCursor Json) {
  if (!Result.Steps.Network)
    Json.fail("needs a network", "give /network, with bandwidth_bytes_per_s and latency_s");
  return Result.Steps.Network.has_value();
}

/// M messages of B bytes in all to the next rank, each as long as the others but for a byte.
void ScenarioReader::readRing(JsonCursor Json, const std::vector<std::size_t> &Ranks,
                              std::vector<Step> &Result) {
  std::uint64_t Messages = 1, Bytes = 0;
  if (JsonCursor Record = Json["record"]) {
    const auto Run = From.Predict(readRecord(Record), nullptr, {});
    if (!Run) {
      Record.fail(Run.error().line(), "correct the record's entry or values");
      return;
    }
    auto Count = [&](const char *Class) {
      auto Found = Run->Counts.find(Class);
      const double Value = Found == Run->Counts.end() ? 0 : Found->second;
      if (Value != std::floor(Value) || Value > 0x1p53)
        Record.fail("counts " + std::string(Class) + " that are no whole number", "give messages");
      return std::uint64_t(std::min(Value, 0x1p53));
    };
    Messages = Count("messages");
    Bytes = Count("message_bytes");
  } else {
    JsonCursor Times = Json["messages"];
    Messages = Times ? std::uint64_t(readPositiveInteger(Times)) : 1;
    Bytes = readBytes(Json["bytes"]);
  }
  if (!hasRoom(Json, double(Messages) * double(Ranks.size())) || Messages == 0)
    return;
  for (const auto &[Length, Times] : {std::pair(Bytes / Messages + 1, Bytes % Messages),
                                      std::pair(Bytes / Messages, Messages - Bytes % Messages)})
    if (Times)
      for (ExchangeStep &ES : exchangesOf(Collective::Ring, Ranks, Length)) {
        ES.Times = std::int64_t(Times);
        Result.push_back(std::move(ES));
      }
}

void ScenarioReader::readCollective(JsonCursor Json, std::vector<Step> &Result) {
  const Collective What = Collective(readChoice(Json["collective"], CollectiveNames));
  if (What == Collective::Ring && Json["record"])
    Json.keys({"collective", "record"}, {"ranks"});
  else if (What == Collective::Ring)
    Json.keys({"collective", "bytes"}, {"ranks", "messages"});
  else if (What == Collective::Broadcast)
    Json.keys({"collective", "bytes"}, {"ranks", "root"});
  else if (What == Collective::Barrier)
    Json.keys({"collective"}, {"ranks"});
  else
    Json.keys({"collective", "bytes"}, {"ranks"});
  const auto Ranks = readRanks(Json["ranks"]);
  if (Json.failed() || !hasNetwork(Json))
    return;
  if (What == Collective::Ring)
    return readRing(Json, Ranks, Result);
  std::size_t Root = 0;
  if (JsonCursor Given = Json["root"]) {
    Root = std::ranges::find(Ranks, readRank(Given)) - Ranks.begin();
    if (Root == Ranks.size())
      Given.fail("is a rank that does not take part", "name one of the ranks");
  }
  const std::uint64_t Bytes = What == Collective::Barrier ? 0 : readBytes(Json["bytes"]);
  const double Count = double(Ranks.size());
  if (!hasRoom(Json, What == Collective::AllToAll ? Count * Count : Count * std::log2(2 * Count)))
    return;
  for (ExchangeStep &ES : exchangesOf(What, Ranks, Bytes, Root))
    Result.push_back(std::move(ES));
}

void ScenarioReader::readMessage(JsonCursor Json, std::vector<Step> &Result) {
  Json.keys({"message"});
  JsonCursor Message = Json["message"];
  Message.keys({"from", "to", "bytes"}, {"messages"});
  const Transfer T{readRank(Message["from"]), readRank(Message["to"]), readBytes(Message["bytes"])};
  JsonCursor Times = Message["messages"];
  const std::int64_t Count = Times ? readPositiveInteger(Times) : 1;
  if (T.From == T.To)
    Message.fail("a rank sends to itself", "give two ranks");
  if (hasNetwork(Json) && hasRoom(Json, double(Count)))
    Result.push_back(ExchangeStep{{T}, Count});
}

void ScenarioReader::readCopy(JsonCursor Json, std::vector<Step> &Result) {
  Json.keys({"copy"}, {"ranks"});
  JsonCursor Copy = Json["copy"];
  const bool Back = bool(Copy["from"]);
  Copy.keys({Back ? "from" : "to", "bytes"});
  const std::uint64_t Bytes = readBytes(Copy["bytes"]);
  for (std::size_t Rank : readRanks(Json["ranks"])) {
    if (!hasRoom(Json, 1))
      return;
    const ScenarioGroup &Group = groupOf(Rank);
    const std::size_t Place = placeOf(Group, Copy[Back ? "from" : "to"]);
    Result.push_back(CopyStep{Rank, Group.processorOf(Rank, Place), Bytes, !Back});
  }
}

void ScenarioReader::readRepeat(JsonCursor Json, std::vector<Step> &Result) {
  Json.keys({"repeat", "phases"});
  const std::int64_t Times = readPositiveInteger(Json["repeat"]);
  const double Before = Events;
  std::vector<Step> Once;
  readPhases(Json["phases"], Once);
  if (!hasRoom(Json, (Events - Before) * double(Times - 1)))
    return;
  for (std::int64_t Time = 0; Time < Times && !Once.empty(); ++Time)
    Result.insert(Result.end(), Once.begin(), Once.end());
}

void ScenarioReader::readPhase(JsonCursor Json, std::vector<Step> &Result) {
  if (Json["compute"])
    readCompute(Json, Result);
  else if (Json["collective"])
    readCollective(Json, Result);
  else if (Json["message"])
    readMessage(Json, Result);
  else if (Json["copy"])
    readCopy(Json, Result);
  else if (Json["repeat"])
    readRepeat(Json, Result);
  else
    Json.fail("is no phase", "give one of: compute, collective, message, copy, repeat");
}

void ScenarioReader::readPhases(JsonCursor Json, std::vector<Step> &Result) {
  for (JsonCursor Entry : Json.elements())
    if (!Json.failed())
      readPhase(Entry, Result);
}

Scenario ScenarioReader::read(JsonCursor Root) {
  Root.keys({"schema", "name", "nodes", "phases"}, {"network", "calibrations"});
  Result.Name = Root["name"].text();
  for (JsonCursor Json : Root["nodes"].elements())
    if (!Root.failed())
      readGroup(Json);
  if (Groups.empty())
    Root["nodes"].fail("is empty", "give a node");
  if (JsonCursor Network = Root["network"])
    Result.Steps.Network = readLink(Network);
  if (JsonCursor All = Root["calibrations"])
    for (auto &[Name, Entry] : All.members()) {
      Entry.keys({"measurements"}, {"blocks_at_once", "threads_per_block", "registers_per_thread",
                                    "shared_bytes_per_block", "flops_per_block"});
      Calibrations.emplace(Name, Entry);
    }
  if (!Root.failed())
    readPhases(Root["phases"], Result.Steps.Steps);
  return std::move(Result);
}

std::expected<Scenario, Error> parseScenario(std::string_view Text, const ScenarioSources &From) {
  return readJson(Text, ScenarioSchema,
                  [&](JsonCursor Root) { return ScenarioReader(From).read(Root); });
}

} // namespace ergon
