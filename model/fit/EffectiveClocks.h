//===- EffectiveClocks.h - clocks that differ from the requested *- C++ -*-===//
//
// A workload's work does not depend on the setting. Where counts are derived from activity times
// the requested clock, a setting at which the core runs slower shows twice: the counts of all
// workloads are off by one factor, and so is time times clock for workloads whose cycle count is
// otherwise constant.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/fit/SampleReport.h"
#include "model/fit/Samples.h"

#include <vector>

namespace ergon {

/// Where cycles and counts are off by the same factor at a setting, sets the rows' actual clock
/// (Setting::ActualCoreMhz), divides those counts and reports it; times and energies stay. Where
/// only one of the two is off, only reports it. Needs values for all counts, and at least three
/// core clocks.
std::vector<SampleFinding> correctClocks(Samples &S);

} // namespace ergon
