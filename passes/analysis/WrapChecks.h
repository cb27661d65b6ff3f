//===- WrapChecks.h - where machine arithmetic wraps around -----*- C++ -*-===//
//
// The numbers that the translation noted, in the parameters alone: a check of the largest and of
// the least that each is in any iteration and thread.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_ANALYSIS_WRAPCHECKS_H
#define ERGON_PASSES_ANALYSIS_WRAPCHECKS_H

#include "passes/tripcount/ExecutionCounts.h"

namespace ergon {

/// The checks of the function whose blocks run as \p Runs says.
std::vector<WrapCheck> wrapChecks(AnalysisContext &Context, const Region &Runs);

} // namespace ergon

#endif
