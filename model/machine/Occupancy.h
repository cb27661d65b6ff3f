//===- Occupancy.h - how many blocks a multiprocessor holds -----*- C++ -*-===//
//
// A kernel's blocks wait until a multiprocessor has warps, registers and shared
// memory for them. What there is follows from the compute capability (NVIDIA,
// "CUDA C++ Programming Guide", technical specifications per compute capability)
// and in which portions it is given out from NVIDIA's occupancy calculator.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_MACHINE_OCCUPANCY_H
#define ERGON_MODEL_MACHINE_OCCUPANCY_H

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

/// What a multiprocessor has. Registers are of 32 bits, shared memory in bytes.
struct MultiprocessorLimits {
  static constexpr int WarpSize = 32; ///< of every capability so far

  int ThreadsPerBlock = 0;
  int Threads = 0; ///< resident on a multiprocessor
  int Blocks = 0;  ///< resident on a multiprocessor
  int Registers = 0;
  int RegistersPerBlock = 0;
  int RegistersPerThread = 0;
  int RegisterUnit = 0;       ///< a warp gets a multiple of these
  int RegisterPartitions = 0; ///< equal parts of the register file; a warp lives in one
  /// What a block must be able to take a share of, each with its warps, as if they
  /// were spread over this many parts. Differs from RegisterPartitions for 6.0 alone.
  int LaunchPartitions = 0;
  int SharedBytes = 0;
  int SharedBytesPerBlock = 0; ///< where a kernel asks for the most it can have
  int SharedUnit = 0;          ///< a block gets a multiple of these bytes
  int SharedReserved = 0;      ///< bytes that the system takes from each block's share
};

/// The limits of a compute capability; nothing for one that is not known here.
std::optional<MultiprocessorLimits> limitsOf(ComputeCapability Capability);

/// What a block of a kernel needs. What is not known does not limit: the number of
/// resident blocks is then an upper bound.
struct BlockNeeds {
  std::int64_t Threads = 0;                ///< per block, above 0
  std::optional<int> RegistersPerThread;   ///< as ptxas reports them
  std::optional<std::int64_t> SharedBytes; ///< static and dynamic, per block
  /// Whether the number of resident blocks is exact.
  bool complete() const { return RegistersPerThread && SharedBytes; }
};

/// How many blocks a multiprocessor holds at once, and what does not allow more.
struct Residency {
  std::int64_t Blocks = 0; ///< 0: the kernel cannot be launched
  /// `threads`, `blocks`, `registers` or `shared memory`: the first of these that limits.
  std::string LimitedBy;
};

/// Blocks with such \p Needs that are resident on a multiprocessor at once.
Residency residentBlocks(const MultiprocessorLimits &Limits, const BlockNeeds &Needs);

} // namespace ergon

#endif
