//===- PredictionErrorsTest.cpp - how far predictions are off -------------===//

#include "model/PredictionErrors.h"
#include "tools/Verification.h"

#include <gmock/gmock.h>

using namespace ergon;
using testing::DoubleNear;

TEST(PredictionErrors, OfSeveralCases) {
  // 0, 10, 20, 50 and 300 %: the 90th percentile is 3/5 of the way from 50 to 300.
  const auto Found = errorsOf({4.0, 0.9, 1.0, 0.5, 1.2});
  ASSERT_TRUE(Found);
  EXPECT_EQ(Found->Cases, 5u);
  EXPECT_THAT(Found->Median, DoubleNear(0.2, 1e-12));
  EXPECT_THAT(Found->Percentile90, DoubleNear(2.0, 1e-12));
  EXPECT_THAT(Found->Largest, DoubleNear(3.0, 1e-12));
}

TEST(PredictionErrors, OfNoCases) { EXPECT_FALSE(errorsOf({})); }

TEST(Verification, GroupsByLevelAndThreads) {
  auto Case = [](const char *Level, unsigned Threads, double PredictedS, double MeasuredS) {
    VerifiedCase Result;
    Result.Of = {&verifiedKernels().front(), Level, Threads, 1000};
    if (PredictedS > 0)
      Result.Predicted.emplace().TimeS.Value = PredictedS;
    if (MeasuredS > 0)
      Result.Seconds = Middle{.Median = MeasuredS};
    return Result;
  };
  const auto Groups = groupRatios({Case("l1", 1, 1, 2), Case("l1", 2, 3, 1), Case("dram", 1, 0, 5),
                                   Case("l1", 1, 5, 0), Case("l1", 1, 6, 2)});
  ASSERT_THAT(Groups, testing::SizeIs(3)); // what lacks one of both is in none
  EXPECT_EQ(Groups[0].first, "l1, 1 thread");
  EXPECT_THAT(Groups[0].second, testing::ElementsAre(0.5, 3));
  EXPECT_EQ(Groups[1].first, "l1, 2 threads");
  EXPECT_THAT(Groups[1].second, testing::ElementsAre(3));
  EXPECT_EQ(Groups[2].first, "all");
  EXPECT_THAT(Groups[2].second, testing::ElementsAre(0.5, 3, 3));
}

TEST(Verification, DataAreAsLargeAsAskedFor) {
  const KernelVariant Variant = variantsForThisProcessor().front();
  for (const VerifiedKernel &Each : verifiedKernels())
    for (const std::uint64_t Bytes : {10'000u, 300'000u, 3'000'000u}) {
      const Workload Of = Each.Make(*Variant.Functions, Bytes);
      EXPECT_TRUE(Of.Run) << Each.Name;
      EXPECT_EQ(Of.Bytes != 0, Each.HasData) << Each.Name;
      if (!Each.HasData)
        continue;
      // Sides are whole numbers; vectors beside a matrix, and a filter, come to it.
      EXPECT_LE(double(Of.Bytes), 1.25 * double(Bytes)) << Each.Name << " " << Bytes;
      EXPECT_GE(double(Of.Bytes), 0.5 * double(Bytes)) << Each.Name << " " << Bytes;
    }
}
