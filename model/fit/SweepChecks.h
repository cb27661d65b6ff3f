//===- SweepChecks.h - runs of a workload along clocks ----------*- C++ -*-===//
//
// Time and power of one workload change smoothly with the clocks. Rows that do not are found by the
// other rows of the same workload.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/fit/SampleReport.h"
#include "model/fit/Samples.h"

#include <vector>

namespace ergon {

/// Columns that were exchanged, by how time and power follow the clocks: an error each. \p S must
/// have passed the checks of units.
std::vector<SampleFinding> checkExchangedColumns(const Samples &S);

/// Rows whose power or time is off the trend of their workload, and clocks that had no effect.
/// Counts must have values.
std::vector<SampleFinding> checkSweeps(const Samples &S);

} // namespace ergon
