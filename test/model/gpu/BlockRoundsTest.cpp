//===- BlockRoundsTest.cpp - a kernel's cost by its number of blocks ------===//

#include "model/gpu/BlockRounds.h"
#include "model/gpu/LaunchRounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace ergon;

/// 2020, fig. 3 and section V-B: vectorAdd with blocks of 1024 threads on the M2075 (14
/// multiprocessors), 29.4 W idle and 153.65 W in a round. 14·1024 additions at the printed
/// 3413 flop/s are a round of 4.2 s.
TEST(BlockRounds, ExampleOfThePaper) {
  const double RoundS = 4.2, RoundW = 153.65, IdleW = 29.4;
  std::vector<BlockMeasurement> Measured;
  for (int Rounds : {1, 2, 10})
    Measured.push_back({14.0 * Rounds, RoundS * Rounds, RoundW * RoundS * Rounds});
  auto C = calibrate(Measured, IdleW);
  ASSERT_TRUE(C) << C.error().What;
  EXPECT_NEAR(C->Cost.PerBlockS, 0.3, 1e-12);
  EXPECT_NEAR(C->Cost.FixedS, 0, 1e-12);
  EXPECT_NEAR(C->Cost.PerBlockJ, (153.65 - 29.4) * 0.3, 1e-10); // 37.275 J a block
  EXPECT_NEAR(C->WorstTime, 0, 1e-12);
  EXPECT_NEAR(C->WorstEnergy, 0, 1e-12);

  const RoundCost Round = C->Cost.rounds(14);
  EXPECT_NEAR(Round.TimeS, 4.2, 1e-12);
  EXPECT_NEAR(Round.EnergyJ, 645.33, 1e-9);
  EXPECT_NEAR(Round.power(), 153.65, 1e-10);
  EXPECT_EQ(std::floor(14 * 1024 / Round.TimeS), 3413);
}

/// Steps at multiples of what the device holds: 14 on the M2075, 28 on the K20Xm (2020, fig. 2).
TEST(BlockRounds, StepsAtFullRounds) {
  for (std::int64_t PerRound : {1, 14, 28}) {
    const RoundCost Round{PerRound, 2.0, 300.0};
    for (std::int64_t Full : {1, 2, 7}) {
      const std::int64_t Blocks = Full * PerRound;
      EXPECT_DOUBLE_EQ(Round.time(Blocks), 2.0 * double(Full));
      EXPECT_DOUBLE_EQ(Round.energy(Blocks), 300.0 * double(Full));
      EXPECT_DOUBLE_EQ(Round.time(Blocks + 1), 2.0 * double(Full + 1));
    }
  }
}

TEST(BlockRounds, WavesAndTail) {
  EXPECT_EQ((Waves{1, 14}.rounds()), 1);
  EXPECT_EQ((Waves{1, 14}.tail()), 1);
  EXPECT_EQ((Waves{14, 14}.rounds()), 1);
  EXPECT_EQ((Waves{14, 14}.tail()), 14);
  EXPECT_EQ((Waves{15, 14}.rounds()), 2);
  EXPECT_EQ((Waves{15, 14}.tail()), 1);
  EXPECT_DOUBLE_EQ((Waves{14, 14}.filled()), 1);
  EXPECT_DOUBLE_EQ((Waves{15, 14}.filled()), 15.0 / 28.0);
  // No overflow at the largest grid.
  const std::int64_t Largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ((Waves{Largest, 1}.rounds()), Largest);
  EXPECT_EQ((Waves{Largest, 1}.tail()), 1);
}

/// Off the line: x = 10, 20, 60 with y = 1, 3, 5. Mean x = 30, mean y = 3; Sxx = 400+100+900 =
/// 1400, Sxy = 40+0+60 = 100: slope 1/14, intercept 3 - 30/14 = 6/7. Residuals 1 - 11/7 = -4/7, 3 -
/// 16/7 = 5/7, 5 - 36/7 = -1/7: mean square (16+25+1)/49/3 = 2/7, and the largest relative one 4/7.
TEST(BlockRounds, RegressionByHand) {
  const BlockMeasurement Measured[] = {{10, 1, 2}, {20, 3, 6}, {60, 5, 10}};
  auto C = calibrate(Measured, 0);
  ASSERT_TRUE(C) << C.error().What;
  EXPECT_NEAR(C->Cost.PerBlockS, 1.0 / 14, 1e-15);
  EXPECT_NEAR(C->Cost.FixedS, 6.0 / 7, 1e-14);
  EXPECT_NEAR(C->TimeResidualS, std::sqrt(2.0 / 7), 1e-14);
  EXPECT_NEAR(C->WorstTime, 4.0 / 7, 1e-14);
  // Energy is twice the time, so its line is twice that one; eq. 3 leaves the intercept 12/7 out.
  EXPECT_NEAR(C->Cost.PerBlockJ, 1.0 / 7, 1e-15);
  EXPECT_NEAR(C->FixedJ, 12.0 / 7, 1e-14);
  // E_b·NB: 10/7, 20/7, 60/7 against 2, 6, 10: off by 4/7, 22/7, 10/7.
  EXPECT_NEAR(C->WorstEnergy, 22.0 / 42, 1e-14);
}

static std::string refusal(std::vector<BlockMeasurement> Measured, double StaticW = 0) {
  auto C = calibrate(Measured, StaticW);
  return C ? "" : C.error().What;
}

TEST(BlockRounds, RefusesWhatGivesNoLine) {
  const std::string Three = "a calibration needs measurements at three different numbers of blocks";
  EXPECT_EQ(refusal({}), Three);
  EXPECT_EQ(refusal({{1, 1, 1}, {2, 2, 2}}), Three);
  EXPECT_EQ(refusal({{1, 1, 1}, {2, 2, 2}, {2, 2.1, 2}}), Three);
  EXPECT_EQ(refusal({{5, 1, 1}, {5, 2, 2}, {5, 3, 3}}), Three);
  EXPECT_EQ(refusal({{1, 3, 3}, {2, 2, 2}, {3, 1, 1}}),
            "time does not grow with the number of blocks");
  EXPECT_EQ(refusal({{1, 1, 1}, {2, 1, 1}, {3, 1, 1}}),
            "time does not grow with the number of blocks");
  EXPECT_EQ(refusal({{1, 1, 9}, {2, 2, 5}, {3, 3, 4}}),
            "dynamic energy falls with the number of blocks");
  EXPECT_EQ(refusal({{1, 1, 10}, {2, 2, 20}, {3, 3, 30}}, 11),
            "a measurement has less energy than static power alone takes in its time");
  const std::string Range =
      "a measurement has blocks below 1, or a time or energy that is not above 0";
  EXPECT_EQ(refusal({{0, 1, 1}, {2, 2, 2}, {3, 3, 3}}), Range);
  EXPECT_EQ(refusal({{1, -1, 1}, {2, 2, 2}, {3, 3, 3}}), Range);
  EXPECT_EQ(refusal({{1, 1, NAN}, {2, 2, 2}, {3, 3, 3}}), Range);
  EXPECT_EQ(refusal({{1, INFINITY, 1}, {2, 2, 2}, {3, 3, 3}}), Range);
}

/// 16 multiprocessors of 2.0: 48 warps are 6 blocks of 256 threads, 96 blocks at once. 65536 blocks
/// are 682 rounds and 64 blocks more.
TEST(BlockRounds, OfALaunch) {
  Device D{{16, ""}, {2, 0}, "", {}, limitsOf({2, 0}).value()};
  std::map<std::string, Rational> Dimensions;
  for (const char *Name : {"grid.x", "grid.y", "grid.z", "block.x", "block.y", "block.z"}) {
    EXPECT_FALSE(launchRounds(D, Dimensions));
    Dimensions[Name] = Rational(1);
  }
  Dimensions["grid.x"] = Rational(1024);
  Dimensions["grid.z"] = Rational(64);
  Dimensions["block.y"] = Rational(256);
  const auto Rounds = launchRounds(D, Dimensions);
  ASSERT_TRUE(Rounds);
  EXPECT_EQ(Rounds->Resident.Blocks, 6);
  EXPECT_EQ(Rounds->Blocks.PerRound, 96);
  EXPECT_EQ(Rounds->Blocks.rounds(), 683);
  EXPECT_EQ(Rounds->Blocks.tail(), 64);

  Dimensions["block.x"] = Rational(5); // 1280 threads
  EXPECT_EQ(launchRounds(D, Dimensions)->Resident.Blocks, 0);
  Dimensions["block.x"] = Rational(0);
  EXPECT_FALSE(launchRounds(D, Dimensions));
  Dimensions["block.x"] = Rational(1);
  Dimensions["grid.y"] = twoTo(70);
  EXPECT_FALSE(launchRounds(D, Dimensions));
}
