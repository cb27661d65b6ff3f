//===- LaunchIssue.h - what a launch issues, and waits for ------*- C++ -*-===//
//
// The machine instructions of a launch's warps, and the time that its blocks take one after the
// other while each waits for its own results: T = rounds · cycles of a warp (Little's law, with as
// many warps at once as the multiprocessors hold).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/gpu/DeviceReport.h"
#include "model/program/DeviceResources.h"

#include <map>
#include <optional>
#include <string>

namespace ergon {

/// What is known of the needs of a kernel's blocks, but their threads: nothing where it was not
/// assembled.
BlockNeeds needsOf(const std::optional<DeviceResources> &Assembled);

/// A launch, and what its kernel needs.
struct LaunchOnDevice {
  LaunchSize Size;                       ///< with registers, where they are known
  std::int64_t StaticSharedBytes = 0;    ///< of a block
  const DeviceReport *Traffic = nullptr; ///< null: not known
};

/// Adds `warp_instructions`, `int_instructions`, `other_instructions` (of threads: moves, jumps,
/// comparisons of floating point), `blocks`, `launches` and, where \p D has
/// latencies, `latency_cycles` to \p Result, the counts of that launch over all threads: estimates.
/// Nothing where no machine code was counted.
void addIssue(const LaunchOnDevice &Launch, const Device &D, CountValues &Result);

} // namespace ergon
