//===- ScenarioReader.h - the parts of a scenario's reader ------*- C++ -*-===//
//
// For ScenarioFormat.cpp (nodes and phases) and ScenarioWork.cpp (what runs on a
// processor) alone.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/cluster/Scenario.h"
#include "formats/json/Json.h"

#include <set>

namespace ergon {

/// One of a node's processors: the same in every node of its group.
struct ScenarioProcessor {
  std::string Name;             ///< of the group, or of the GPU in it
  std::optional<Machine> Model; ///< none where the scenario gives the power by hand
  Setting Clocks;
  std::optional<double> IdleW; ///< by hand, whatever the setting
  std::size_t Kind = 0;        ///< in Plan::Kinds
};

/// Nodes that are alike.
struct ScenarioGroup {
  ScenarioProcessor Node;
  std::vector<ScenarioProcessor> Gpus;
  std::size_t FirstRank = 0, Count = 0;
  std::size_t FirstProcessor = 0; ///< a node's GPUs follow it

  /// 0 for the node, 1 and up for its GPUs.
  const ScenarioProcessor &at(std::size_t Place) const {
    return Place == 0 ? Node : Gpus[Place - 1];
  }
  /// The number in the plan of the processor at \p Place of the node that \p Rank runs on.
  std::size_t processorOf(std::size_t Rank, std::size_t Place) const {
    return FirstProcessor + (Rank - FirstRank) * (1 + Gpus.size()) + Place;
  }
};

class ScenarioReader {
public:
  /// \p From resolves the machines, applications and records that a scenario names; it must outlive
  /// the reader.
  explicit ScenarioReader(const ScenarioSources &From) : From(From) {}
  /// The scenario in \p Root. Where something is wrong, the cursor's document keeps the error.
  Scenario read(JsonCursor Root);

private:
  const ScenarioSources &From;
  Scenario Result;
  std::vector<ScenarioGroup> Groups;
  std::map<std::string, JsonCursor, std::less<>> Calibrations;
  double Events = 0;               ///< of the steps so far
  std::set<std::size_t> OnlyRests; ///< kinds of processors whose first state has no work yet

  // Nodes.
  ScenarioProcessor readProcessor(JsonCursor Json, std::string Name);
  void readGroup(JsonCursor Json);
  static Link readLink(JsonCursor Json);
  static std::string readName(JsonCursor Json);
  void addProcessors(const ScenarioGroup &Group, const std::vector<Link> &Links, JsonCursor Json);

  // Phases.
  void readPhases(JsonCursor Json, std::vector<Step> &Result);
  void readPhase(JsonCursor Json, std::vector<Step> &Result);
  void readCompute(JsonCursor Json, std::vector<Step> &Result);
  void readCollective(JsonCursor Json, std::vector<Step> &Result);
  void readRing(JsonCursor Json, const std::vector<std::size_t> &Ranks, std::vector<Step> &Result);
  void readMessage(JsonCursor Json, std::vector<Step> &Result);
  void readCopy(JsonCursor Json, std::vector<Step> &Result);
  void readRepeat(JsonCursor Json, std::vector<Step> &Result);
  std::vector<std::size_t> readRanks(JsonCursor Json);
  std::size_t readRank(JsonCursor Json);
  bool hasNetwork(JsonCursor Json);
  const ScenarioGroup &groupOf(std::size_t Rank) const;
  static std::size_t placeOf(const ScenarioGroup &Group, JsonCursor Json);
  /// Refuses more events than a simulation can do in a reasonable time.
  bool hasRoom(JsonCursor Json, double More);

  // Work on a processor: all but where it is.
  ProcessorWork readWork(JsonCursor Json, const ScenarioProcessor &Processor);
  ProcessorWork readCalibrated(JsonCursor Json, const ScenarioProcessor &Processor, double IdleW);
  static std::int64_t readBlocksAtOnce(JsonCursor Calibration, const ScenarioProcessor &Processor,
                                       std::string &Why);
  static std::vector<BlockMeasurement> readMeasurements(JsonCursor Json);
  static RecordQuery readRecord(JsonCursor Json);
  static Setting readSetting(JsonCursor Json, const ScenarioProcessor &Processor);
  static std::optional<double> idlePower(const ScenarioProcessor &Processor, const Setting &Clocks);
  void notePower(const ScenarioProcessor &Processor, double PowerW);
  std::size_t addState(JsonCursor Json, std::size_t Kind, PowerState State);
};

/// A count: a whole number of 1 and above.
std::int64_t readPositiveInteger(JsonCursor Json);
/// A whole number up to 2^53: what SimGrid counts in, and a double holds exactly.
std::uint64_t readBytes(JsonCursor Json);

} // namespace ergon
