//===- WrapChecks.h - where machine arithmetic wraps around -----*- C++ -*-===//
//
// Range checks recorded by the translation, in parameters only: the maximum and minimum of each
// number over all iterations and threads.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/tripcount/ExecutionCounts.h"

namespace ergon {

/// The checks of the function whose blocks run as in \p Runs.
std::vector<WrapCheck> wrapChecks(AnalysisContext &Context, const Region &Runs);

} // namespace ergon
