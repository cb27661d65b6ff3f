//===- ScenarioReader.h - the parts of a scenario's reader ------*- C++ -*-===//
//
// For ScenarioFormat.cpp (nodes and phases) and ScenarioWork.cpp (what runs on a
// processor) alone.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_FORMATS_CLUSTER_SCENARIOREADER_H
#define ERGON_FORMATS_CLUSTER_SCENARIOREADER_H

#include "formats/cluster/Scenario.h"
#include "formats/json/Json.h"

#include <set>

namespace ergon {

/// One of a node's processors: the same in every node of its group.
struct ScenarioProcessor {
  std::string Name;             ///< of the group, or of the GPU in it
  std::optional<Machine> Model; ///< none where the scenario gives the power by hand
  Setting At;
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
  ScenarioProcessor readProcessor(JsonCursor At, std::string Name);
  void readGroup(JsonCursor At);
  static Link readLink(JsonCursor At);
  static std::string readName(JsonCursor At);
  void addProcessors(const ScenarioGroup &Of, const std::vector<Link> &Links, JsonCursor At);

  // Phases.
  void readPhases(JsonCursor At, std::vector<Step> &Into);
  void readPhase(JsonCursor At, std::vector<Step> &Into);
  void readCompute(JsonCursor At, std::vector<Step> &Into);
  void readCollective(JsonCursor At, std::vector<Step> &Into);
  void readRing(JsonCursor At, const std::vector<std::size_t> &Ranks, std::vector<Step> &Into);
  void readMessage(JsonCursor At, std::vector<Step> &Into);
  void readCopy(JsonCursor At, std::vector<Step> &Into);
  void readRepeat(JsonCursor At, std::vector<Step> &Into);
  std::vector<std::size_t> readRanks(JsonCursor At);
  std::size_t readRank(JsonCursor At);
  bool hasNetwork(JsonCursor At);
  const ScenarioGroup &groupOf(std::size_t Rank) const;
  static std::size_t placeOf(const ScenarioGroup &In, JsonCursor At);
  /// Refuses more events than a simulation can do in a reasonable time.
  bool hasRoom(JsonCursor At, double More);

  // Work on a processor: all but where it is.
  ProcessorWork readWork(JsonCursor At, const ScenarioProcessor &On);
  ProcessorWork readCalibrated(JsonCursor At, const ScenarioProcessor &On, double IdleW);
  static std::int64_t readBlocksAtOnce(JsonCursor Calibration, const ScenarioProcessor &On,
                                       std::string &Why);
  static std::vector<BlockMeasurement> readMeasurements(JsonCursor At);
  static RecordQuery readRecord(JsonCursor At);
  static Setting readSetting(JsonCursor At, const ScenarioProcessor &On);
  static std::optional<double> idlePower(const ScenarioProcessor &Of, const Setting &At);
  void notePower(const ScenarioProcessor &On, double PowerW);
  std::size_t addState(JsonCursor At, std::size_t Kind, PowerState State);
};

/// A count: a whole number of 1 and above.
std::int64_t readPositiveInteger(JsonCursor At);
/// A whole number up to 2^53: what SimGrid counts in, and a double holds exactly.
std::uint64_t readBytes(JsonCursor At);

} // namespace ergon

#endif
