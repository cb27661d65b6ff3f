//===- LaunchPrediction.h - what a program's kernels cost -------*- C++ -*-===//
//
// The first launch of each kernel of a program: its traffic between the levels of memory, its
// machine instructions and its time. All launches of the kernel are like it, in proportion to what
// they request and issue.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "predict/answer/EntryPrediction.h"

namespace ergon {

/// The launch of \p Kernel, whose shape is known; nothing where it is not, or has no thread.
std::optional<LaunchSize> launchSize(const LaunchShape &Shape, const Function *Kernel);

/// Completes the kernels among the parts of \p Result with what \p Entry says of their first
/// launches in a run with \p Bound.
void addLaunches(CountedEntry &Entry, const Bindings &Bound, LongSums How,
                 const PredictionTarget &Target, PredictionDocument &Result);

} // namespace ergon
