//===- LaunchPrediction.h - what a program's kernels cost -------*- C++ -*-===//
//
// The first launch of each kernel of a program: its traffic between the levels of memory, its
// machine instructions and its time. All launches of the kernel are like it, in proportion to what
// they request and issue.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/prediction/PredictionFormat.h"
#include "predict/answer/EntryCounts.h"
#include "predict/answer/PredictionTarget.h"

namespace ergon {

/// Completes the kernels among the parts of \p Result with what \p Entry says of their first
/// launches in a run with \p Bound.
void addLaunches(CountedEntry &Entry, const Bindings &Bound, LongSums How,
                 const PredictionTarget &Target, PredictionDocument &Result);

/// Widens the intervals of first launches whose sizes are estimates, as their executed flops say,
/// or whose code runs as often as an estimate says.
void widenEstimatedLaunches(const CountedEntry &Entry, PredictionDocument &Result);

} // namespace ergon
