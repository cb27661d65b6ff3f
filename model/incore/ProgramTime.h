//===- ProgramTime.h - time of a run on a CPU -------------------*- C++ -*-===//
//
// The time of each loop is the longest of core busy time, loop-carried latency, and the data
// transfer from each memory level; loops run one after another.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/incore/LoopTime.h"
#include "model/traffic/PageWalks.h"
#include "model/traffic/TrafficReport.h"

#include <expected>
#include <string>
#include <vector>

namespace ergon {

/// Seconds of one run of \p Program, with traffic \p Moved and page walks \p Walks (empty:
/// unknown), on one of \p Threads that run the same concurrently. Parallel regions are shared by \p
/// Team threads. Error: a formula without a value; no stream of a level.
std::expected<ProgramTime, Error> timeOf(const AccessProgram &Program, const TrafficReport &Moved,
                                         const Pipeline &P, unsigned Threads,
                                         const std::vector<PageWalks> &Walks = {},
                                         unsigned Team = 1);

} // namespace ergon
