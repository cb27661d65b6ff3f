//===- PageWalks.h - TLB misses ---------------------------------*- C++ -*-===//
//
// A TLB is simulated as a cache whose lines are pages: its misses are page walks.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/Pipeline.h"
#include "model/traffic/Traffic.h"

#include <expected>
#include <vector>

namespace ergon {

/// The page walks of an access.
struct PageWalks {
  double Times = 0; ///< number of TLB misses
  double S = 0;     ///< seconds that these take
};

/// By access, in program order; empty where all pages fit the TLB, or no cost is known. With \p
/// IsWarm for a run after an equal one.
std::expected<std::vector<PageWalks>, Error>
pageWalks(const AccessProgram &Program, const Placement &P,
          const std::vector<PipelineTranslation> &Measured, bool IsWarm);

} // namespace ergon
