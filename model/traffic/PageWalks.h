//===- PageWalks.h - looking up where pages are -----------------*- C++ -*-===//
//
// A processor knows the places of the last pages that were used. Of which accesses it has to look
// them up is the question of a cache whose lines are pages.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_TRAFFIC_PAGEWALKS_H
#define ERGON_MODEL_TRAFFIC_PAGEWALKS_H

#include "model/machine/Pipeline.h"
#include "model/traffic/Traffic.h"

#include <expected>
#include <vector>

namespace ergon {

/// Of an access.
struct PageWalks {
  double Times = 0; ///< that its page is none of the last ones
  double S = 0;     ///< that these take
};

/// By access, in the program's order; none where all pages are known, or nothing is said of what it
/// takes. With \p IsWarm of a run after one that did the same.
std::expected<std::vector<PageWalks>, Error>
pageWalks(const AccessProgram &Program, const Placement &P,
          const std::vector<PipelineTranslation> &Measured, bool IsWarm);

} // namespace ergon

#endif
