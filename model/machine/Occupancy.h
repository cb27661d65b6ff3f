//===- Occupancy.h - resident blocks of a multiprocessor --------*- C++ -*-===//
//
// A kernel's blocks wait until a multiprocessor has free warps, registers and shared memory. The
// totals follow from the compute capability (NVIDIA, "CUDA C++ Programming Guide", technical
// specifications per compute capability), the allocation units from NVIDIA's occupancy calculator.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace ergon {

struct ComputeCapability {
  int Major = 0, Minor = 0;
  auto operator<=>(const ComputeCapability &) const = default;
  /// `8.6`: as NVIDIA writes it.
  std::string text() const { return std::to_string(Major) + "." + std::to_string(Minor); }
};

/// The resources of a multiprocessor. Registers have 32 bits, shared memory is in bytes.
struct MultiprocessorLimits {
  static constexpr int WarpSize = 32; ///< of every capability so far

  int ThreadsPerBlock = 0;
  int Threads = 0; ///< resident on a multiprocessor
  int Blocks = 0;  ///< resident on a multiprocessor
  int Registers = 0;
  int RegistersPerBlock = 0;
  int RegistersPerThread = 0;
  int RegisterUnit = 0;       ///< allocation unit of a warp's registers
  int RegisterPartitions = 0; ///< equal parts of the register file; a warp is in one
  /// A launch fails unless a block fits this many equal partitions, with its warps spread over
  /// them. Differs from RegisterPartitions only for 6.0.
  int LaunchPartitions = 0;
  int SharedBytes = 0;
  int SharedBytesPerBlock = 0; ///< with the kernel's opt-in maximum
  int SharedUnit = 0;          ///< allocation unit of a block
  int SharedReserved = 0;      ///< bytes that the system reserves per block
};

/// The limits of a compute capability; nothing for an unknown one.
std::optional<MultiprocessorLimits> limitsOf(ComputeCapability Capability);

/// The resources that a block needs. Unknown ones do not limit: the number of resident blocks is
/// then an upper bound.
struct BlockNeeds {
  std::int64_t Threads = 0;                ///< per block, above 0
  std::optional<int> RegistersPerThread;   ///< as ptxas reports them
  std::optional<std::int64_t> SharedBytes; ///< static and dynamic, per block
  /// Whether nothing else can limit the number of resident blocks.
  bool complete() const { return RegistersPerThread && SharedBytes; }
};

/// The number of resident blocks of a multiprocessor, and the limiting resource.
struct Residency {
  std::int64_t Blocks = 0; ///< 0: the kernel cannot be launched
  /// `threads`, `blocks`, `registers` or `shared memory`: the first that limits.
  std::string LimitedBy;
};

/// The resident blocks of a multiprocessor for blocks with these \p Needs.
Residency residentBlocks(const MultiprocessorLimits &Limits, const BlockNeeds &Needs);

} // namespace ergon
