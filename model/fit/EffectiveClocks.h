//===- EffectiveClocks.h - clocks that were not as asked --------*- C++ -*-===//
//
// A workload's work does not depend on the setting. Where counts come from activity
// times the clock that was asked for, a setting at which the core really runs slower
// shows twice: counts of all workloads are off by one factor, and so is time times
// clock of those workloads that otherwise take the same number of cycles everywhere.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_FIT_EFFECTIVECLOCKS_H
#define ERGON_MODEL_FIT_EFFECTIVECLOCKS_H

#include "model/fit/SampleReport.h"
#include "model/fit/Samples.h"

#include <vector>

namespace ergon {

/// Where cycles and counts are off by the same factor at a setting, gives its rows the
/// actual clock (Setting::ActualCoreMhz), divides those counts and says so; times and
/// energies stay. Where only one of the two is off, says so and changes nothing. Needs
/// values for all counts, and three core clocks or more to compare with each other.
std::vector<SampleFinding> correctClocks(Samples &S);

} // namespace ergon

#endif
