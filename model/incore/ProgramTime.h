//===- ProgramTime.h - time of a run on a CPU -------------------*- C++ -*-===//
//
// The time of each loop is the longest of core busy time, loop-carried latency, and the data
// transfer from each memory level; loops run one after another.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/incore/InCoreCosts.h"
#include "model/traffic/PageWalks.h"
#include "model/traffic/TrafficReport.h"

#include <expected>
#include <string>
#include <vector>

namespace ergon {

/// The time of one loop without its inner loops, or of the function itself.
struct LoopTime {
  SourceLocation Location;
  double CoreS = 0;   ///< busy, or waiting for the previous iteration
  double AccessS = 0; ///< the part of loads and stores
  /// By level that serves the data; `translation` for TLB misses.
  std::map<std::string, double> MemoryS{};
  BoundTime Time{}; ///< the longest of these
};

struct ProgramTime {
  double TimeS = 0;
  /// 95 % of measured times lie between these: what the model misses, and traffic's interval.
  double LowS = 0, HighS = 0;
  std::string Bound = "none"; ///< of the slowest loop
  std::vector<LoopTime> Loops;
  /// Instruction kinds that the profile has no cost for.
  std::vector<std::string> Unpriced;
};

/// Seconds of one run of \p Program, with traffic \p Moved and page walks \p Walks (empty:
/// unknown), on one of \p Threads that run the same concurrently. Error: a formula without a value;
/// no stream of a level.
std::expected<ProgramTime, Error> timeOf(const AccessProgram &Program, const TrafficReport &Moved,
                                         const Pipeline &P, unsigned Threads,
                                         const std::vector<PageWalks> &Walks = {});

} // namespace ergon
