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

std::int64_t readPositiveInteger(JsonCursor At) {
  const std::int64_t Count = At.integer();
  if (Count < 1)
    At.fail("is " + std::to_string(Count) + " where a number above 0 is wanted",
            "write a number above 0");
  return std::max<std::int64_t>(Count, 1);
}

std::uint64_t readBytes(JsonCursor At) {
  const double Bytes = At.nonNegative();
  if (Bytes < 0 || Bytes != std::floor(Bytes) || Bytes > 0x1p53) {
    At.fail("is no whole number of bytes", "write a whole number up to 2^53");
    return 0;
  }
  return std::uint64_t(Bytes);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

std::string ScenarioReader::readName(JsonCursor At) {
  const std::string Name = At.text();
  const bool Good = std::ranges::all_of(Name, [](char C) {
    return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') || (C >= '0' && C <= '9') || C == '_' ||
           C == '-' || C == '.';
  });
  if (!Good)
    At.fail(inQuotes(Name) + " cannot name a processor",
            "use letters, digits, underscores, dots and hyphens");
  return Name;
}

Link ScenarioReader::readLink(JsonCursor At) {
  At.keys({"bandwidth_bytes_per_s", "latency_s"});
  return {At["bandwidth_bytes_per_s"].positive(), At["latency_s"].nonNegative()};
}

ScenarioProcessor ScenarioReader::readProcessor(JsonCursor At, std::string Name) {
  ScenarioProcessor Of;
  Of.Name = std::move(Name);
  if (JsonCursor Model = At["machine"]) {
    auto Loaded = From.LoadMachine(Model.text());
    if (!Loaded && !At.failed())
      Model.fail(Loaded.error().line(), "see `ergon machine list`");
    else if (Loaded) {
      Of.Model = std::move(*Loaded);
      Of.At = Of.Model->defaultSetting();
    }
  }
  Of.At = readSetting(At, Of);
  if (JsonCursor Idle = At["idle_w"])
    Of.IdleW = Idle.nonNegative();
  const std::optional<double> Idle = idlePower(Of, Of.At);
  if (!Idle)
    At.fail("the idle power of " + inQuotes(Of.Name) + " is not known",
            "give idle_w, or a machine whose profile has a constant power");
  Of.Kind = Result.Steps.Kinds.size();
  ProcessorKind Kind;
  if (JsonCursor Off = At["off_w"])
    Kind.OffW = Off.nonNegative();
  Kind.States = {{1, Idle.value_or(0), Idle.value_or(0)}};
  OnlyRests.insert(Of.Kind);
  Result.Steps.Kinds.push_back(std::move(Kind));
  return Of;
}

void ScenarioReader::readGroup(JsonCursor At) {
  At.keys({"name"}, {"count", "machine", "core_mhz", "mem_mhz", "idle_w", "off_w", "gpus"});
  ScenarioGroup Group;
  Group.Node = readProcessor(At, readName(At["name"]));
  JsonCursor Count = At["count"];
  Group.Count = Count ? std::size_t(readPositiveInteger(Count)) : 1;
  // Far more nodes than SimGrid has memory for.
  if (Group.Count > 1'000'000) {
    Count.fail("is more nodes than can be simulated", "simulate a smaller part");
    return;
  }
  std::vector<Link> Links;
  if (JsonCursor Gpus = At["gpus"])
    for (JsonCursor Each : Gpus.elements()) {
      Each.keys({"name", "link"}, {"machine", "core_mhz", "mem_mhz", "idle_w", "off_w"});
      Group.Gpus.push_back(readProcessor(Each, readName(Each["name"])));
      Links.push_back(readLink(Each["link"]));
    }
  Group.FirstRank = Result.Steps.Ranks.size();
  Group.FirstProcessor = Result.Steps.Processors.size();
  addProcessors(Group, Links, At);
  Groups.push_back(std::move(Group));
}

void ScenarioReader::addProcessors(const ScenarioGroup &Of, const std::vector<Link> &Links,
                                   JsonCursor At) {
  Plan &Into = Result.Steps;
  std::set<std::string> Taken;
  for (const Processor &Each : Into.Processors)
    Taken.insert(Each.Name);
  auto Add = [&](std::string Name, std::size_t Kind) {
    if (!Taken.insert(Name).second)
      At.fail("two processors are called " + inQuotes(Name), "give one another name");
    Into.Processors.push_back({std::move(Name), Kind});
    return Into.Processors.size() - 1;
  };
  for (std::size_t Number = 0; Number < Of.Count; ++Number) {
    const std::string Name = Of.Node.Name + (Of.Count == 1 ? "" : "-" + std::to_string(Number));
    const std::size_t Node = Add(Name, Of.Node.Kind);
    Into.Ranks.push_back(Node);
    for (std::size_t Gpu = 0; Gpu < Of.Gpus.size(); ++Gpu)
      Into.Attached.push_back(
          {Add(Name + "-" + Of.Gpus[Gpu].Name, Of.Gpus[Gpu].Kind), Node, Links[Gpu]});
  }
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

bool ScenarioReader::hasRoom(JsonCursor At, double More) {
  Events += More;
  if (Events > 1e7)
    At.fail("makes more than 10 million tasks and messages in all", "simulate a smaller part");
  return Events <= 1e7 && !At.failed();
}

std::size_t ScenarioReader::readRank(JsonCursor At) {
  const std::int64_t Rank = At.integer();
  const std::size_t Count = Result.Steps.Ranks.size();
  if (Rank >= 0 && std::size_t(Rank) < Count)
    return std::size_t(Rank);
  At.fail("there is no rank " + std::to_string(Rank),
          "a node is a rank: 0 to " + std::to_string(Count - 1));
  return 0;
}

std::vector<std::size_t> ScenarioReader::readRanks(JsonCursor At) {
  std::vector<std::size_t> Ranks;
  if (!At)
    for (std::size_t Rank = 0; Rank < Result.Steps.Ranks.size(); ++Rank)
      Ranks.push_back(Rank);
  else
    for (JsonCursor Each : At.elements()) {
      Ranks.push_back(readRank(Each));
      if (std::count(Ranks.begin(), Ranks.end(), Ranks.back()) > 1)
        Each.fail("is a rank that was named before", "name each once");
    }
  if (Ranks.empty())
    At.fail("names no rank", "name one, or leave the key out for all");
  return Ranks;
}

const ScenarioGroup &ScenarioReader::groupOf(std::size_t Rank) const {
  auto After = std::ranges::upper_bound(Groups, Rank, {}, &ScenarioGroup::FirstRank);
  return *std::prev(After);
}

std::size_t ScenarioReader::placeOf(const ScenarioGroup &In, JsonCursor At) {
  if (!At)
    return 0;
  const std::string Name = At.text();
  auto Found = std::ranges::find(In.Gpus, Name, &ScenarioProcessor::Name);
  if (Found == In.Gpus.end()) {
    At.fail("node " + inQuotes(In.Node.Name) + " has no GPU that is called " + inQuotes(Name),
            "give one of its gpus, or ranks that have it");
    return 0;
  }
  return 1 + std::size_t(Found - In.Gpus.begin());
}

void ScenarioReader::readCompute(JsonCursor At, std::vector<Step> &Into) {
  At.keys({"compute"}, {"ranks"});
  const auto Ranks = readRanks(At["ranks"]);
  const auto Each = At["compute"].elements();
  // Of each group that takes part: where and what, the same on all its nodes.
  std::map<const ScenarioGroup *, std::vector<std::pair<std::size_t, ProcessorWork>>> Parts;
  for (std::size_t Rank : Ranks) {
    const ScenarioGroup &Group = groupOf(Rank);
    auto [Found, New] = Parts.try_emplace(&Group);
    if (New)
      for (JsonCursor One : Each) {
        const std::size_t Place = placeOf(Group, One["on"]);
        if (std::ranges::find(Found->second, Place, [](auto &P) { return P.first; }) !=
            Found->second.end())
          One.fail("is on a processor that has work in this phase", "make it a phase of its own");
        Found->second.emplace_back(Place, readWork(One, Group.at(Place)));
      }
    ComputeStep Now{Rank, {}};
    for (auto [Place, Part] : Found->second) {
      Part.Processor = Group.processorOf(Rank, Place);
      if (!hasRoom(At, double(Part.Tasks)))
        return;
      if (Part.Tasks)
        Now.Parts.push_back(Part);
    }
    Into.push_back(std::move(Now));
  }
}

bool ScenarioReader::hasNetwork(JsonCursor At) {
  if (!Result.Steps.Network)
    At.fail("needs a network", "give /network, with bandwidth_bytes_per_s and latency_s");
  return Result.Steps.Network.has_value();
}

/// M messages of B bytes in all to the next rank, each as long as the others but for a byte.
void ScenarioReader::readRing(JsonCursor At, const std::vector<std::size_t> &Ranks,
                              std::vector<Step> &Into) {
  std::uint64_t Messages = 1, Bytes = 0;
  if (JsonCursor Record = At["record"]) {
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
    JsonCursor Times = At["messages"];
    Messages = Times ? std::uint64_t(readPositiveInteger(Times)) : 1;
    Bytes = readBytes(At["bytes"]);
  }
  if (!hasRoom(At, double(Messages) * double(Ranks.size())) || Messages == 0)
    return;
  for (const auto &[Length, Times] : {std::pair(Bytes / Messages + 1, Bytes % Messages),
                                      std::pair(Bytes / Messages, Messages - Bytes % Messages)})
    if (Times)
      for (ExchangeStep &Each : exchangesOf(Collective::Ring, Ranks, Length)) {
        Each.Times = std::int64_t(Times);
        Into.push_back(std::move(Each));
      }
}

void ScenarioReader::readCollective(JsonCursor At, std::vector<Step> &Into) {
  const Collective What = Collective(readChoice(At["collective"], CollectiveNames));
  if (What == Collective::Ring && At["record"])
    At.keys({"collective", "record"}, {"ranks"});
  else if (What == Collective::Ring)
    At.keys({"collective", "bytes"}, {"ranks", "messages"});
  else if (What == Collective::Broadcast)
    At.keys({"collective", "bytes"}, {"ranks", "root"});
  else if (What == Collective::Barrier)
    At.keys({"collective"}, {"ranks"});
  else
    At.keys({"collective", "bytes"}, {"ranks"});
  const auto Ranks = readRanks(At["ranks"]);
  if (At.failed() || !hasNetwork(At))
    return;
  if (What == Collective::Ring)
    return readRing(At, Ranks, Into);
  std::size_t Root = 0;
  if (JsonCursor Given = At["root"]) {
    Root = std::ranges::find(Ranks, readRank(Given)) - Ranks.begin();
    if (Root == Ranks.size())
      Given.fail("is a rank that does not take part", "name one of the ranks");
  }
  const std::uint64_t Bytes = What == Collective::Barrier ? 0 : readBytes(At["bytes"]);
  const double Count = double(Ranks.size());
  if (!hasRoom(At, What == Collective::AllToAll ? Count * Count : Count * std::log2(2 * Count)))
    return;
  for (ExchangeStep &Each : exchangesOf(What, Ranks, Bytes, Root))
    Into.push_back(std::move(Each));
}

void ScenarioReader::readMessage(JsonCursor At, std::vector<Step> &Into) {
  At.keys({"message"});
  JsonCursor Message = At["message"];
  Message.keys({"from", "to", "bytes"}, {"messages"});
  const Transfer One{readRank(Message["from"]), readRank(Message["to"]),
                     readBytes(Message["bytes"])};
  JsonCursor Times = Message["messages"];
  const std::int64_t Count = Times ? readPositiveInteger(Times) : 1;
  if (One.From == One.To)
    Message.fail("a rank sends to itself", "give two ranks");
  if (hasNetwork(At) && hasRoom(At, double(Count)))
    Into.push_back(ExchangeStep{{One}, Count});
}

void ScenarioReader::readCopy(JsonCursor At, std::vector<Step> &Into) {
  At.keys({"copy"}, {"ranks"});
  JsonCursor Copy = At["copy"];
  const bool Back = bool(Copy["from"]);
  Copy.keys({Back ? "from" : "to", "bytes"});
  const std::uint64_t Bytes = readBytes(Copy["bytes"]);
  for (std::size_t Rank : readRanks(At["ranks"])) {
    if (!hasRoom(At, 1))
      return;
    const ScenarioGroup &Group = groupOf(Rank);
    const std::size_t Place = placeOf(Group, Copy[Back ? "from" : "to"]);
    Into.push_back(CopyStep{Rank, Group.processorOf(Rank, Place), Bytes, !Back});
  }
}

void ScenarioReader::readRepeat(JsonCursor At, std::vector<Step> &Into) {
  At.keys({"repeat", "phases"});
  const std::int64_t Times = readPositiveInteger(At["repeat"]);
  const double Before = Events;
  std::vector<Step> Once;
  readPhases(At["phases"], Once);
  if (!hasRoom(At, (Events - Before) * double(Times - 1)))
    return;
  for (std::int64_t Time = 0; Time < Times && !Once.empty(); ++Time)
    Into.insert(Into.end(), Once.begin(), Once.end());
}

void ScenarioReader::readPhase(JsonCursor At, std::vector<Step> &Into) {
  if (At["compute"])
    readCompute(At, Into);
  else if (At["collective"])
    readCollective(At, Into);
  else if (At["message"])
    readMessage(At, Into);
  else if (At["copy"])
    readCopy(At, Into);
  else if (At["repeat"])
    readRepeat(At, Into);
  else
    At.fail("is no phase", "give one of: compute, collective, message, copy, repeat");
}

void ScenarioReader::readPhases(JsonCursor At, std::vector<Step> &Into) {
  for (JsonCursor Each : At.elements())
    if (!At.failed())
      readPhase(Each, Into);
}

Scenario ScenarioReader::read(JsonCursor Root) {
  Root.keys({"schema", "name", "nodes", "phases"}, {"network", "calibrations"});
  Result.Name = Root["name"].text();
  for (JsonCursor Each : Root["nodes"].elements())
    if (!Root.failed())
      readGroup(Each);
  if (Groups.empty())
    Root["nodes"].fail("is empty", "give a node");
  if (JsonCursor Network = Root["network"])
    Result.Steps.Network = readLink(Network);
  if (JsonCursor All = Root["calibrations"])
    for (auto &[Name, Each] : All.members()) {
      Each.keys({"measurements"}, {"blocks_at_once", "threads_per_block", "registers_per_thread",
                                   "shared_bytes_per_block", "flops_per_block"});
      Calibrations.emplace(Name, Each);
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
