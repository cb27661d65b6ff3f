//===- CountOutliers.h - single counts that are off -------------*- C++ -*-===//
//
// A workload does the same work at all clocks. A count that a workload has in one row alone is of
// other work, or mistyped: it would move the price of its class, and with it all others.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/fit/SampleReport.h"
#include "model/fit/Samples.h"

#include <vector>

namespace ergon {

/// Leaves out of \p S the rows with a count that the other rows of the workload, which agree, do
/// not have, and names their lines. Of two rows that differ so it names both and leaves them.
/// Counts must have values; what is off at a setting as a whole is left to correctClocks().
std::vector<SampleFinding> dropCountOutliers(Samples &S);

} // namespace ergon
