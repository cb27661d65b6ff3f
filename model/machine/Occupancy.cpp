//===- Occupancy.cpp - resident blocks of a multiprocessor ----------------===//

#include "model/machine/Occupancy.h"

#include <algorithm>
#include <iterator>

namespace ergon {

static constexpr int K = 1024;

namespace {
struct Row {
  ComputeCapability Capability;
  MultiprocessorLimits Limits;
};
} // namespace

// Threads per block, resident threads and blocks; registers per block, per thread, unit,
// partitions, partitions at launch; shared memory per block, unit, reserved.
// 2.x to 6.2: NVIDIA, CUDA C Programming Guide 8.0 (2017), appendix G, table of technical
// specifications; later ones: CUDA C++ Programming Guide 12.8 and 13.0 (2025), compute
// capabilities, the same table. Units and partitions: NVIDIA's CUDA Occupancy Calculator (sheet
// "GPU Data"). Its warp allocation granularity of 2 or 4 is equivalent to partitions of the
// register file that hold whole warps.
static constexpr Row Table[] = {
    {{2, 0}, {1024, 1536, 8, 32 * K, 32 * K, 63, 64, 2, 2, 48 * K, 48 * K, 128, 0}},
    {{2, 1}, {1024, 1536, 8, 32 * K, 32 * K, 63, 64, 2, 2, 48 * K, 48 * K, 128, 0}},
    {{3, 0}, {1024, 2048, 16, 64 * K, 64 * K, 63, 256, 4, 4, 48 * K, 48 * K, 256, 0}},
    {{3, 2}, {1024, 2048, 16, 64 * K, 32 * K, 255, 256, 4, 4, 48 * K, 48 * K, 256, 0}},
    {{3, 5}, {1024, 2048, 16, 64 * K, 64 * K, 255, 256, 4, 4, 48 * K, 48 * K, 256, 0}},
    {{3, 7}, {1024, 2048, 16, 128 * K, 64 * K, 255, 256, 4, 4, 112 * K, 48 * K, 256, 0}},
    {{5, 0}, {1024, 2048, 32, 64 * K, 64 * K, 255, 256, 4, 4, 64 * K, 48 * K, 256, 0}},
    {{5, 2}, {1024, 2048, 32, 64 * K, 64 * K, 255, 256, 4, 4, 96 * K, 48 * K, 256, 0}},
    {{5, 3}, {1024, 2048, 32, 64 * K, 32 * K, 255, 256, 4, 4, 64 * K, 48 * K, 256, 0}},
    // Code for 6.0 must run on the rest of its family: a launch assumes four partitions.
    {{6, 0}, {1024, 2048, 32, 64 * K, 64 * K, 255, 256, 2, 4, 64 * K, 48 * K, 256, 0}},
    {{6, 1}, {1024, 2048, 32, 64 * K, 64 * K, 255, 256, 4, 4, 96 * K, 48 * K, 256, 0}},
    {{6, 2}, {1024, 2048, 32, 64 * K, 32 * K, 255, 256, 4, 4, 64 * K, 48 * K, 256, 0}},
    {{7, 0}, {1024, 2048, 32, 64 * K, 64 * K, 255, 256, 4, 4, 96 * K, 96 * K, 256, 0}},
    {{7, 2}, {1024, 2048, 32, 64 * K, 64 * K, 255, 256, 4, 4, 96 * K, 96 * K, 256, 0}},
    {{7, 5}, {1024, 1024, 16, 64 * K, 64 * K, 255, 256, 4, 4, 64 * K, 64 * K, 256, 0}},
    {{8, 0}, {1024, 2048, 32, 64 * K, 64 * K, 255, 256, 4, 4, 164 * K, 163 * K, 128, K}},
    {{8, 6}, {1024, 1536, 16, 64 * K, 64 * K, 255, 256, 4, 4, 100 * K, 99 * K, 128, K}},
    {{8, 7}, {1024, 1536, 16, 64 * K, 64 * K, 255, 256, 4, 4, 164 * K, 163 * K, 128, K}},
    {{8, 9}, {1024, 1536, 24, 64 * K, 64 * K, 255, 256, 4, 4, 100 * K, 99 * K, 128, K}},
    {{9, 0}, {1024, 2048, 32, 64 * K, 64 * K, 255, 256, 4, 4, 228 * K, 227 * K, 128, K}},
    {{10, 0}, {1024, 2048, 32, 64 * K, 64 * K, 255, 256, 4, 4, 228 * K, 227 * K, 128, K}},
    {{10, 3}, {1024, 2048, 32, 64 * K, 64 * K, 255, 256, 4, 4, 228 * K, 227 * K, 128, K}},
    {{11, 0}, {1024, 1536, 24, 64 * K, 64 * K, 255, 256, 4, 4, 228 * K, 227 * K, 128, K}},
    {{12, 0}, {1024, 1536, 24, 64 * K, 64 * K, 255, 256, 4, 4, 100 * K, 99 * K, 128, K}},
    {{12, 1}, {1024, 1536, 24, 64 * K, 64 * K, 255, 256, 4, 4, 100 * K, 99 * K, 128, K}},
};

std::optional<MultiprocessorLimits> limitsOf(ComputeCapability Capability) {
  const Row *Found = std::ranges::find(Table, Capability, &Row::Capability);
  return Found == std::end(Table) ? std::nullopt : std::optional(Found->Limits);
}

static std::int64_t roundedUp(std::int64_t Value, std::int64_t Unit) {
  return (Value + Unit - 1) / Unit * Unit;
}

static constexpr std::int64_t NoLimit = std::numeric_limits<std::int64_t>::max();

static std::int64_t limitOfRegisters(const MultiprocessorLimits &Limits, std::int64_t Warps,
                                     std::optional<int> PerThread) {
  if (PerThread.value_or(0) == 0)
    return NoLimit;
  if (*PerThread < 0 || *PerThread > Limits.RegistersPerThread)
    return 0;
  const std::int64_t PerWarp =
      roundedUp(std::int64_t(*PerThread) * MultiprocessorLimits::WarpSize, Limits.RegisterUnit);
  // A launch is checked as if the warps filled each partition equally.
  if (PerWarp * roundedUp(Warps, Limits.LaunchPartitions) > Limits.RegistersPerBlock)
    return 0;
  const std::int64_t WarpsInAll =
      Limits.Registers / Limits.RegisterPartitions / PerWarp * Limits.RegisterPartitions;
  return WarpsInAll / Warps;
}

static std::int64_t limitOfShared(const MultiprocessorLimits &Limits,
                                  std::optional<std::int64_t> Bytes) {
  if (!Bytes)
    return NoLimit;
  if (*Bytes < 0 || *Bytes > Limits.SharedBytes)
    return 0;
  const std::int64_t PerBlock = roundedUp(*Bytes + Limits.SharedReserved, Limits.SharedUnit);
  if (PerBlock == 0)
    return NoLimit;
  return PerBlock > Limits.SharedBytesPerBlock + Limits.SharedReserved
             ? 0
             : Limits.SharedBytes / PerBlock;
}

Residency residentBlocks(const MultiprocessorLimits &Limits, const BlockNeeds &Needs) {
  if (Needs.Threads < 1 || Needs.Threads > Limits.ThreadsPerBlock)
    return {0, "threads"};
  const std::int64_t Warps =
      roundedUp(Needs.Threads, MultiprocessorLimits::WarpSize) / MultiprocessorLimits::WarpSize;
  const std::pair<std::int64_t, const char *> BlockLimits[] = {
      {Limits.Threads / MultiprocessorLimits::WarpSize / Warps, "threads"},
      {Limits.Blocks, "blocks"},
      {limitOfRegisters(Limits, Warps, Needs.RegistersPerThread), "registers"},
      {limitOfShared(Limits, Needs.SharedBytes), "shared memory"}};
  const auto &Least =
      *std::ranges::min_element(BlockLimits, {}, [](auto &Item) { return Item.first; });
  return {Least.first, Least.second};
}

} // namespace ergon
