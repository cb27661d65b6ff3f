//===- OccupancyTest.cpp - how many blocks a multiprocessor holds ---------===//
//
// By hand, from the papers, and against CUDA's own occupancy calculator where the
// toolkit has one.
//
//===----------------------------------------------------------------------===//

#include "model/machine/Occupancy.h"

#include <gtest/gtest.h>

#include <climits>
#include <random>
#include <set>

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define ERGON_HAS_CUDA_OCCUPANCY
#endif

using namespace ergon;

static Residency resident(ComputeCapability Capability, BlockNeeds Needs) {
  auto Limits = limitsOf(Capability);
  EXPECT_TRUE(Limits) << Capability.text();
  return residentBlocks(Limits.value_or(MultiprocessorLimits()), Needs);
}

/// 2020, section IV-B: one block of 1024 threads on a multiprocessor of the M2075 (2.0),
/// two on one of the K20Xm (3.5).
TEST(Occupancy, BlocksOf1024AsThePaperSays) {
  EXPECT_EQ(resident({2, 0}, {1024, {}, {}}).Blocks, 1);
  EXPECT_EQ(resident({3, 5}, {1024, {}, {}}).Blocks, 2);
}

/// Each limit by hand. On 3.5: 64 Ki registers in 4 parts, 48 KiB shared, 64 warps, 16 blocks.
TEST(Occupancy, EachLimitByHand) {
  // 256 threads are 8 warps, 64/8 = 8.
  EXPECT_EQ(resident({3, 5}, {256, 0, 0}).Blocks, 8);
  EXPECT_EQ(resident({3, 5}, {256, 0, 0}).LimitedBy, "threads");
  // 32 threads: 64 warps would fit, 16 blocks may be there.
  EXPECT_EQ(resident({3, 5}, {32, 0, 0}).Blocks, 16);
  EXPECT_EQ(resident({3, 5}, {32, 0, 0}).LimitedBy, "blocks");
  // 33 registers × 32 = 1056, in units of 256: 1280 a warp; 16384/1280 = 12 warps a part, 48 in
  // all; 48/8 = 6.
  EXPECT_EQ(resident({3, 5}, {256, 33, 0}).Blocks, 6);
  EXPECT_EQ(resident({3, 5}, {256, 33, 0}).LimitedBy, "registers");
  // 10000 bytes in units of 256: 10240; 49152/10240 = 4.8.
  EXPECT_EQ(resident({3, 5}, {256, 0, 10000}).Blocks, 4);
  EXPECT_EQ(resident({3, 5}, {256, 0, 10000}).LimitedBy, "shared memory");
  // On 2.0: 21 × 32 = 672, in units of 64: 704 a warp; 16384/704 = 23 warps a part, 46 in all; 46/6
  // = 7.
  EXPECT_EQ(resident({2, 0}, {192, 21, 0}).Blocks, 7);
  // 9.0 keeps 1 KiB of each block's share: 233472/(16384 + 1024) = 13.4.
  EXPECT_EQ(resident({9, 0}, {32, 0, 16384}).Blocks, 13);
}

TEST(Occupancy, WhatDoesNotFitHasNoBlocks) {
  EXPECT_EQ(resident({3, 5}, {1025, {}, {}}).Blocks, 0);
  EXPECT_EQ(resident({3, 5}, {0, {}, {}}).Blocks, 0);
  EXPECT_EQ(resident({3, 5}, {32, 256, {}}).Blocks, 0);
  EXPECT_EQ(resident({2, 0}, {32, 64, {}}).Blocks, 0);
  EXPECT_EQ(resident({3, 5}, {1024, 65, {}}).Blocks, 0); // 32 warps of 2304 are 72 Ki registers
  EXPECT_EQ(resident({3, 5}, {32, {}, 48 * 1024 + 1}).Blocks, 0);
  EXPECT_EQ(resident({9, 0}, {32, {}, 227 * 1024}).Blocks, 1);
  EXPECT_EQ(resident({9, 0}, {32, {}, 227 * 1024 + 1}).Blocks, 0);
}

/// A damaged record may have any number.
TEST(Occupancy, NumbersThatNoKernelHas) {
  EXPECT_EQ(resident({8, 6}, {256, -1, 0}).Blocks, 0);
  EXPECT_EQ(resident({8, 6}, {256, INT_MIN, 0}).Blocks, 0);
  EXPECT_EQ(resident({8, 6}, {256, 32, -1}).Blocks, 0);
  EXPECT_EQ(resident({8, 6}, {256, 32, std::int64_t(1) << 62}).Blocks, 0);
}

/// What is not known does not limit: fewer needs known, no fewer blocks.
TEST(Occupancy, UnknownNeedsGiveAnUpperBound) {
  for (int Threads : {32, 100, 256, 1024})
    for (int Registers : {16, 40, 64})
      for (std::int64_t Shared : {0, 5000, 40000}) {
        const std::int64_t All = resident({8, 6}, {Threads, Registers, Shared}).Blocks;
        EXPECT_GE(resident({8, 6}, {Threads, {}, Shared}).Blocks, All);
        EXPECT_GE(resident({8, 6}, {Threads, Registers, {}}).Blocks, All);
      }
}

TEST(Occupancy, UnknownCapability) { EXPECT_FALSE(limitsOf({4, 0})); }

#ifdef ERGON_HAS_CUDA_OCCUPANCY
static cudaOccDeviceProp properties(ComputeCapability Capability, const MultiprocessorLimits &L) {
  cudaOccDeviceProp P;
  P.computeMajor = Capability.Major;
  P.computeMinor = Capability.Minor;
  P.maxThreadsPerBlock = L.ThreadsPerBlock;
  P.maxThreadsPerMultiprocessor = L.Threads;
  P.regsPerBlock = L.RegistersPerBlock;
  P.regsPerMultiprocessor = L.Registers;
  P.warpSize = L.WarpSize;
  P.sharedMemPerBlock = std::min(L.SharedBytesPerBlock, 48 * 1024);
  P.sharedMemPerMultiprocessor = L.SharedBytes;
  P.numSms = 1;
  P.sharedMemPerBlockOptin = L.SharedBytesPerBlock;
  P.reservedSharedMemPerBlock = L.SharedReserved;
  return P;
}

/// 20,000 kernels on every capability that CUDA's calculator of this toolkit knows: the same
/// number of blocks each time.
TEST(Occupancy, AsCudasOwnCalculator) {
  std::mt19937_64 Random(2020);
  auto Among = [&](std::int64_t Low, std::int64_t High) {
    return std::uniform_int_distribution<std::int64_t>(Low, High)(Random);
  };
  std::set<ComputeCapability> Compared;
  std::set<std::string> Limiting;
  for (int Major = 2; Major <= __CUDA_OCC_MAJOR__; ++Major)
    for (int Minor = 0; Minor <= 9; ++Minor) {
      const ComputeCapability Capability{Major, Minor};
      const auto Limits = limitsOf(Capability);
      if (!Limits)
        continue;
      const cudaOccDeviceProp Device = properties(Capability, *Limits);
      const cudaOccDeviceState State;
      for (int Trial = 0; Trial < 20000; ++Trial) {
        const std::int64_t Shared =
            Among(0, 2) ? Among(0, Limits->SharedBytesPerBlock / (Among(0, 1) ? 1 : 16) + 300) : 0;
        const BlockNeeds Needs{Among(0, 3) ? Among(1, 34) * 32 : Among(1, 1100),
                               int(Among(0, Limits->RegistersPerThread)), Shared};
        cudaOccFuncAttributes Kernel;
        Kernel.maxThreadsPerBlock = INT_MAX;
        Kernel.numRegs = *Needs.RegistersPerThread;
        Kernel.sharedSizeBytes = Among(0, Shared);
        Kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
        Kernel.maxDynamicSharedSizeBytes = Shared - Kernel.sharedSizeBytes;
        Kernel.numBlockBarriers = 1;
        cudaOccResult Theirs;
        if (cudaOccMaxActiveBlocksPerMultiprocessor(
                &Theirs, &Device, &Kernel, &State, int(Needs.Threads),
                Shared - Kernel.sharedSizeBytes) != CUDA_OCC_SUCCESS)
          break;
        const Residency Ours = residentBlocks(*Limits, Needs);
        ASSERT_EQ(Ours.Blocks, Theirs.activeBlocksPerMultiprocessor)
            << Capability.text() << ": " << Needs.Threads << " threads, " << Kernel.numRegs
            << " registers, " << Shared << " bytes";
        Compared.insert(Capability);
        if (Ours.Blocks)
          Limiting.insert(Ours.LimitedBy);
      }
    }
  EXPECT_GE(Compared.size(), 10u);
  EXPECT_EQ(Limiting.size(), 4u);
  RecordProperty("capabilities", int(Compared.size()));
}
#endif
