//===- ProgramTime.h - time of a run on a CPU -------------------*- C++ -*-===//
//
// The time of each loop is the longest of what its instructions keep the core busy for, what
// its iterations wait for each other, and what its data take from each level of memory; loops
// follow one another.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_INCORE_PROGRAMTIME_H
#define ERGON_MODEL_INCORE_PROGRAMTIME_H

#include "model/incore/InCoreCosts.h"
#include "model/traffic/PageWalks.h"
#include "model/traffic/TrafficReport.h"

#include <expected>
#include <string>
#include <vector>

namespace ergon {

/// What the code of one loop takes, loops inside it apart; or of the function itself.
struct LoopTime {
  SourceLocation Location;
  double CoreS = 0;   ///< busy, or waiting for the iteration before
  double AccessS = 0; ///< the loads' and stores' part of it
  /// By level that the data come from; `translation`, to look up where pages are.
  std::map<std::string, double> MemoryS{};
  BoundTime Time{}; ///< the longest of these
};

struct ProgramTime {
  double TimeS = 0;
  std::string Bound = "none"; ///< of the loop that takes the longest
  std::vector<LoopTime> Loops;
  /// Kinds of instructions that the profile says nothing of.
  std::vector<std::string> Unpriced;
};

/// Seconds of one run of \p Program, whose data move as \p Moved says and pages are looked up as
/// \p Walks do (none: not known), on one of \p Threads that run the same at once. Error: a formula
/// without a value; no stream of a level.
std::expected<ProgramTime, Error> timeOf(const AccessProgram &Program, const TrafficReport &Moved,
                                         const Pipeline &P, unsigned Threads,
                                         const std::vector<PageWalks> &Walks = {});

} // namespace ergon

#endif
