//===- RunAdvice.h - what to change in a run's code -------------*- C++ -*-===//
#pragma once

#include "predict/profile/CostShares.h"
#include "predict/store/RecordStore.h"

#include <vector>

namespace ergon {

/// Findings of lint in the functions that take 1 % or more of \p Profile, whose run is \p Run, with
/// its costs in \p Shares; each with what it would save of the run, where that is known: of the
/// classes that would go away, and of the cache lines that nothing uses the rest of. \p M is the
/// prediction's machine, null without one. Those that would save most come first, then those whose
/// saving is not known by what their loops take. Code outside of the project (isForeign) has none.
std::vector<Advice> adviceOn(const ProgramNumbers &Run, const std::vector<SharedCost> &Shares,
                             const ProgramProfile &Profile, const Machine *M, RecordStore &Records);

} // namespace ergon
