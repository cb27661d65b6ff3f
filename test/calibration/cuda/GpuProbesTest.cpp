//===- GpuProbesTest.cpp - sizes of probes of GPUs ------------------------===//

#include "calibration/cuda/GpuProbes.h"
#include "calibration/cuda/GpuMachine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

using namespace ergon;
using namespace ergon::cuda;

namespace {

constexpr std::uint64_t MiB = 1 << 20, GiB = 1 << 30;

Properties gpu(unsigned Multiprocessors, unsigned Threads, std::uint64_t L2, std::uint64_t Free) {
  return {.Name = "GPU",
          .Uuid = "",
          .Capability = {9, 0},
          .Multiprocessors = Multiprocessors,
          .ThreadsPerMultiprocessor = Threads,
          .L2Bytes = L2,
          .FreeBytes = Free,
          .TotalBytes = Free,
          .LoadsInL1 = true};
}

GpuProbeTable probesOf(const Properties &P) {
  return probesFor(P, [&](const KernelCode &, unsigned Threads) {
    return Threads == 1 ? 32 : P.ThreadsPerMultiprocessor / Threads;
  });
}

const GpuProbe *find(const GpuProbeTable &ProbeTable, const std::string &Name) {
  const auto Found = std::ranges::find(ProbeTable.Probes, Name, &GpuProbe::Name);
  return Found == ProbeTable.Probes.end() ? nullptr : &*Found;
}

/// Whatever the GPU: streams are where they are said to be, and every thread has four words.
void check(const Properties &P) {
  const GpuProbeTable Table = probesOf(P);
  for (const GpuProbe &Probe : Table.Probes) {
    if (!Probe.Code || Probe.Code->Runs != Pattern::Stream)
      continue;
    SCOPED_TRACE(Probe.Name + " on " + std::to_string(P.Multiprocessors));
    const std::uint64_t Bytes = Probe.Words * Probe.Code->WordBytes,
                        Streams = unsigned(Probe.Code->Reads) + unsigned(Probe.Code->Writes);
    EXPECT_EQ(Probe.Words % (4ull * Probe.Blocks * Probe.Threads), 0u);
    EXPECT_LE(Probe.Blocks, P.Multiprocessors * P.ThreadsPerMultiprocessor / 256);
    EXPECT_LE(Probe.InBytes + Probe.OutBytes, P.FreeBytes);
    // Offsets of the last four words are numbers of 32 bits.
    EXPECT_LT(Probe.Words, 1ull << 31);
    if (Probe.Level == "dram")
      EXPECT_GE(Bytes, 15 * P.L2Bytes);
    else
      EXPECT_LE(Bytes * Streams, P.L2Bytes / 4);
  }
}

TEST(GpuProbes, SizesFollowFromTheGpu) {
  check(gpu(132, 2048, 60 * MiB, 139 * GiB)); // H200
  check(gpu(108, 2048, 40 * MiB, 79 * GiB));  // A100
  check(gpu(80, 2048, 6 * MiB, 31 * GiB));    // V100
  check(gpu(40, 1024, 4 * MiB, 14 * GiB));    // T4
  check(gpu(192, 1536, 128 * MiB, 95 * GiB)); // RTX PRO 6000
  check(gpu(2, 2048, 512 << 10, 1 * GiB));    // Jetson
}

TEST(GpuProbes, ByHand) {
  const GpuProbeTable Table = probesOf(gpu(132, 2048, 60 * MiB, 139 * GiB));
  EXPECT_TRUE(Table.LeftOut.empty());
  // 960 MiB of 16 bytes are 62914560 words; 132·8 blocks of 256 threads with four each are 1081344.
  const GpuProbe *Far = find(Table, "load-i32-dram");
  ASSERT_TRUE(Far);
  EXPECT_EQ(Far->Blocks, 1056u);
  EXPECT_EQ(Far->Words, 62717952u);
  EXPECT_DOUBLE_EQ(Far->counts(3, 2).at("bytes_dram"), 62717952.0 * 16 * 6);
  // 15 MiB are 983040 words, which is 960 blocks.
  const GpuProbe *Near = find(Table, "load-i32-l2");
  ASSERT_TRUE(Near);
  EXPECT_EQ(Near->Blocks, 960u);
  EXPECT_FALSE(Near->counts(1, 1).contains("bytes_dram"));
  const GpuProbe *Fused = find(Table, "fma-f32"), *Half = find(Table, "fma-f32-half");
  ASSERT_TRUE(Fused && Half);
  // 8 rounds of 4 pairs of 2 fused operations, 2 flops each, of 1056·256 threads; 7 sums each.
  EXPECT_DOUBLE_EQ(Fused->counts(10, 1).at("flops_f32"), 1056.0 * 256 * (10 * 8 * 4 * 2 * 2 + 7));
  EXPECT_EQ(Half->Blocks, 66u);
}

TEST(GpuProbes, WhatHasNoRoomIsLeftOut) {
  // 384 MiB, in whole steps of 120 blocks of 256 threads with four words each: 25067520 words.
  const GpuProbeTable Small = probesOf(gpu(20, 1536, 24 * MiB, 300 * MiB));
  EXPECT_FALSE(find(Small, "load-i32-dram"));
  EXPECT_TRUE(find(Small, "load-i32-l2"));
  EXPECT_TRUE(std::ranges::count(
      Small.LeftOut, std::string("load in dram: data of 382 MiB are needed, and only 300 MiB of "
                                 "the GPU's memory are free")));
  const GpuProbeTable Untold = probesOf(gpu(20, 1536, 0, 8 * GiB));
  EXPECT_FALSE(find(Untold, "load-i32-l2") || find(Untold, "load_random-i32-dram"));
  EXPECT_TRUE(std::ranges::count(Untold.LeftOut,
                                 std::string("load: the driver does not tell how large L2 is")));
}

TEST(GpuMachine, SaysWhereMainMemoryIsNoSlower) {
  const GpuProbeTable Table = probesOf(gpu(132, 2048, 60 * MiB, 139 * GiB));
  const auto Measured = [&](const char *Name, double BytesPerS) {
    const GpuProbe *Probe = find(Table, Name);
    GpuMeasured Result{Probe, Probe->counts(1, 1), {}, {}};
    Result.Seconds.Median = Result.Units.at("bytes_l2") / BytesPerS;
    return Result;
  };
  const std::vector<GpuMeasured> All = {
      Measured("load-i32-l2", 8e12), Measured("load-i32-dram", 4e12),
      Measured("store-i32-l2", 6e12), Measured("store-i32-dram", 5.9e12)};
  EXPECT_EQ(notBeyondL2(All), std::vector<std::string>{"store-i32-dram"});
}

} // namespace
