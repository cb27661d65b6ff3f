//===- VerificationTest.cpp - predicted beside measured -------------------===//

#include "tools/verify/Verification.h"
#include "tools/verify/ProgramVerification.h"

#include <gmock/gmock.h>

using namespace ergon;

TEST(Verification, GroupsByLevelAndThreads) {
  auto Case = [](const char *Level, unsigned Threads, double PredictedS, double MeasuredS) {
    VerifiedCase Result;
    Result.Case = {&verifiedKernels().front(), Level, Threads, 1000};
    if (PredictedS > 0)
      Result.Predicted.emplace().TimeS.Value = PredictedS;
    if (MeasuredS > 0)
      Result.Seconds = MedianInterval{.Median = MeasuredS};
    return Result;
  };
  const auto Groups = groupErrors({Case("l1", 1, 1, 2), Case("l1", 2, 3, 1), Case("dram", 1, 0, 5),
                                   Case("l1", 1, 5, 0), Case("l1", 1, 6, 2)},
                                  &VerifiedCase::timeRatio);
  ASSERT_THAT(Groups, testing::SizeIs(3)); // what lacks one of both is in none
  EXPECT_EQ(Groups[0].first, "l1, 1 thread");
  EXPECT_THAT(Groups[0].second, testing::ElementsAre(-0.5, 2));
  EXPECT_EQ(Groups[1].first, "l1, 2 threads");
  EXPECT_THAT(Groups[1].second, testing::ElementsAre(2));
  EXPECT_EQ(Groups[2].first, "all");
  EXPECT_THAT(Groups[2].second, testing::ElementsAre(-0.5, 2, 2));
}

TEST(Verification, DataAreAsLargeAsAskedFor) {
  const KernelVariant Variant = variantsForThisProcessor().front();
  for (const VerifiedKernel &Kernel : verifiedKernels())
    for (const std::uint64_t Bytes : {10'000u, 300'000u, 3'000'000u}) {
      const Workload W = Kernel.Make(*Variant.Functions, Bytes);
      EXPECT_TRUE(W.Run) << Kernel.Name;
      EXPECT_EQ(W.Bytes != 0, Kernel.HasData) << Kernel.Name;
      if (!Kernel.HasData)
        continue;
      // Sides are whole numbers; vectors beside a matrix, and a filter, come to it.
      EXPECT_LE(double(W.Bytes), 1.25 * double(Bytes)) << Kernel.Name << " " << Bytes;
      EXPECT_GE(double(W.Bytes), 0.5 * double(Bytes)) << Kernel.Name << " " << Bytes;
    }
}

/// A process with regions `a`, `a/b` and `b`, of 2, 3 and 4 times.
static ProcessRun ranWithRegions(double DurationS) {
  ProcessRun Result{.Program = "p", .Ended = "exit", .DurationS = DurationS};
  Result.Meters = {{.Name = "m", .Covers = "package-0", .EnergyJ = 100 * DurationS}};
  Result.Unread = {{"n", "refused"}};
  Result.Regions = {{{}, 0, 3, DurationS, {}},
                    {{"a"}, 2, 1, 4, {{"m", 40}}},
                    {{"a", "b"}, 3, 2, 3, {{"m", 12}}},
                    {{"b"}, 4, 1, 0.5, {{"m", 2}}}};
  return Result;
}

TEST(ProgramVerification, AWholeRunIsTheLongestProcess) {
  const auto Found = measuredPart({ranWithRegions(1), ranWithRegions(6), ranWithRegions(2)}, "");
  ASSERT_TRUE(Found);
  EXPECT_EQ(Found->Times, 1);
  EXPECT_EQ(Found->Threads, 3);
  EXPECT_EQ(Found->TimeS, 6);
  ASSERT_THAT(Found->EnergyJ, testing::SizeIs(1));
  EXPECT_EQ(Found->EnergyJ[0].Joules, 600);
  ASSERT_THAT(Found->Unread, testing::SizeIs(1));
}

TEST(ProgramVerification, ARegionIsTheMeanOfItsTimes) {
  const std::vector<ProcessRun> Two = {ranWithRegions(5), ranWithRegions(6)};
  // By its path, in two processes: 3 s in 3 times, each.
  const auto Inner = measuredPart(Two, "a/b");
  ASSERT_TRUE(Inner);
  EXPECT_EQ(Inner->Times, 6);
  EXPECT_EQ(Inner->TimeS, 1);
  EXPECT_EQ(Inner->EnergyJ[0].Joules, 4);
  EXPECT_EQ(Inner->EnergyJ[0].Covers, "package-0");
  // By its name, wherever it is: 3.5 s in 7 times.
  const auto Any = measuredPart({ranWithRegions(5)}, "b");
  ASSERT_TRUE(Any);
  EXPECT_EQ(Any->Times, 7);
  EXPECT_EQ(Any->TimeS, 0.5);
  EXPECT_EQ(Any->EnergyJ[0].Joules, 2);
  EXPECT_EQ(
      measuredPart(Two, "c").error().line(),
      "--region: no region of the run is called \"c\"; did you mean \"a\"? there are: a, a/b, b");
}

TEST(ProgramVerification, WhatNoMeterSawHasNoEnergy) {
  ProcessRun Run = ranWithRegions(5);
  Run.Meters.clear();
  for (RegionRun &Region : Run.Regions)
    Region.EnergyJ.clear();
  EXPECT_THAT(measuredPart({Run}, "a")->EnergyJ, testing::IsEmpty());
  EXPECT_THAT(measuredPart({Run}, "")->EnergyJ, testing::IsEmpty());
}
