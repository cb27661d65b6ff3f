//===- ParallelRegions.h - symbols of parallel regions ----------*- C++ -*-===//
#pragma once

namespace ergon {

/// The number of a thread in a parallel region; the same in all that it calls.
inline constexpr const char *OmpThread = "omp.thread";

} // namespace ergon
