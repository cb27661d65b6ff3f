//===- LaunchIssueTest.cpp - tests of LaunchIssue.h -----------------------===//

#include "model/gpu/LaunchIssue.h"

#include <gtest/gtest.h>

namespace ergon {
namespace {

Device deviceOf(ComputeCapability Capability, double Multiprocessors) {
  Device D;
  D.Multiprocessors.Value = Multiprocessors;
  D.Capability = Capability;
  D.Limits = *limitsOf(Capability);
  D.Latencies.emplace();
  D.Latencies->Shared.Value = 20;
  D.Latencies->L1.Value = 30;
  D.Latencies->L2.Value = 200;
  D.Latencies->Dram.Value = 500;
  return D;
}

/// A launch of 100 blocks of 64 threads: 10 integer instructions and 2 multiply-adds each, 30
/// cycles without a wait, and a load.
CountValues counts() {
  const int Threads = 100 * 64;
  CountValues Result;
  Result.Values = {{"issue_int", 10 * Threads},
                   {"issue_imad", 2 * Threads},
                   {"issue_uniform", 1 * Threads},
                   {"stall_wait", 30 * Threads},
                   {"stall_long_scoreboard", Threads}};
  return Result;
}

LaunchOnDevice launch() {
  LaunchOnDevice Result;
  Result.Size.Grid = {100, 1, 1};
  Result.Size.Block = {64, 1, 1};
  return Result;
}

TEST(LaunchIssue, CountsWarps) {
  auto Values = counts();
  addIssue(launch(), deviceOf({8, 6}, 10), Values);
  EXPECT_EQ(Values.Values["warp_instructions"], Rational(13 * 200));
  EXPECT_EQ(Values.Values["int_instructions"], Rational(12 * 6400));
  EXPECT_EQ(Values.Values["blocks"], Rational(100));
  EXPECT_EQ(Values.Values["launches"], Rational(1));
  // Capability 8.6 holds 16 blocks, so all are there at once: the cycles of one warp, whose load is
  // served by L2 where nothing is known of it.
  EXPECT_EQ(Values.Values["latency_cycles"], Rational(30 + 200));
}

TEST(LaunchIssue, BlocksWaitForEachOther) {
  auto Values = counts();
  addIssue(launch(), deviceOf({8, 6}, 2), Values); // 32 of 100 blocks at once
  EXPECT_NEAR(Values.Values["latency_cycles"].get_d(), 230 * 100 / 32., 0.5);
  LaunchOnDevice Large = launch();
  Large.StaticSharedBytes = 48 * 1024; // two blocks in 100 KB
  Values = counts();
  addIssue(Large, deviceOf({8, 6}, 10), Values);
  EXPECT_NEAR(Values.Values["latency_cycles"].get_d(), 230 * 100 / 20., 0.5);
}

TEST(LaunchIssue, OlderCodeHasNoMultiplyAdd) {
  auto Values = counts();
  addIssue(launch(), deviceOf({6, 1}, 10), Values);
  EXPECT_EQ(Values.Values["int_instructions"].get_d(), (10 + 2 * 2.75) * 6400);
  EXPECT_EQ(Values.Values["warp_instructions"].get_d(), (10 + 2 * 2.75) * 200);
}

TEST(LaunchIssue, IsSilentWithoutMachineCode) {
  CountValues Values;
  Values.Values = {{"int_ops", 5}};
  addIssue(launch(), deviceOf({8, 6}, 10), Values);
  EXPECT_EQ(Values.Values.size(), 1u);
}

TEST(LaunchIssue, PointersOfNoKnownSpaceLeadToWhatIsNear) {
  auto Values = counts();
  Values.Values["loads_generic"] = 3 * 6400;
  Values.Values["loads_global"] = 6400;
  addIssue(launch(), deviceOf({8, 6}, 10), Values);
  EXPECT_EQ(Values.Values["latency_cycles"], Rational(30) + Rational(3 * 30 + 200) / 4);
}

TEST(LaunchIssue, OthersNeitherComputeNorAccess) {
  CountValues Values;
  Values.Values = {{"issue_fp32", 10 * 6400}, {"issue_move", 3 * 6400}, {"issue_control", 2 * 6400},
                   {"issue_lsu", 5 * 6400},   {"flops_f32", 12 * 6400}, {"fma_f32", 4 * 6400}};
  addIssue(launch(), deviceOf({8, 6}, 10), Values);
  // Eight instructions make the twelve flops; two of f32 compare.
  EXPECT_EQ(Values.Values["other_instructions"], Rational((2 + 3 + 2) * 6400));
}

TEST(LaunchIssue, FillsTheLastWarp) {
  LaunchOnDevice Odd = launch();
  Odd.Size.Block = {40, 1, 1}; // two warps, of 32 and 8 lanes
  CountValues Values;
  Values.Values = {{"issue_fp32", 100 * 40}};
  addIssue(Odd, deviceOf({8, 6}, 10), Values);
  EXPECT_EQ(Values.Values["warp_instructions"], Rational(200));
}

} // namespace
} // namespace ergon
