//===- ModelErrors.h - how far predicted times may be off -------*- C++ -*-===//
//
// What the model of a loop's time is known to miss, as ratios of measured to predicted times:
// errors of times are factors. Measured on kernels that no part of the model was fitted to, each
// with a profile of the same machine, so that they include what a calibration is off.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/incore/LoopTime.h"

namespace ergon {

/// 95 % of the measured times lie between these multiples of the predicted one.
struct TimeError {
  double Low, High;
};

/// The error of \p Loop by its bottleneck, and by whether much of its data come from main memory.
/// Source: bench/results/2026-11-27-cold-loops.md.
/// \p HasPasses: the profile says how main memory begins.
TimeError errorOf(const LoopTime &Loop, bool HasPasses);

/// What a team of threads takes to begin and end a parallel region, or a loop shared in it, in
/// seconds: as measured with LLVM's runtime on one and on two threads. It takes more on many.
constexpr double gatheringS(unsigned Team) { return Team > 1 ? 1e-6 : 0.4e-6; }

/// Latencies of main memory that the first lines of a run may take, which the model leaves out
/// where the profile has no passes.
inline constexpr double FirstLatencies = 3;

} // namespace ergon
