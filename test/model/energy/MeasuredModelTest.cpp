//===- MeasuredModelTest.cpp - a model that measured runs correct ---------===//
//
// Models whose corrections can be worked out by hand: docs/decisions/0043-measured-runs.md.
//
//===----------------------------------------------------------------------===//

#include "model/energy/MeasuredModel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace ergon;

static Setting at(double CoreMhz, double MemMhz = 1000) {
  return {CoreMhz, MemMhz, {}, {}, "", {}};
}

/// 1 s at any clocks, at 10 W.
static ModelledRun oneSecond(const Setting &) {
  return {1, [](double Seconds) { return 10 * Seconds; }};
}

/// A level that one run measures is known up to that run's own noise.
static constexpr double Shrinkage = 1e-3;

// 2 of 3 s are not explained: they follow the core clock, 2 · 1000/500.
TEST(MeasuredModel, WhatTheModelLeavesOutFollowsTheCoreClock) {
  const MeasuredModel M({{at(1000), 3, 60.0, ""}}, oneSecond);
  EXPECT_NEAR(M.at(at(1000)).TimeS, 3, 3 * Shrinkage);
  EXPECT_NEAR(M.at(at(500)).TimeS, 5, 5 * Shrinkage);
  EXPECT_NEAR(M.at(at(500, 500)).TimeS, 5, 5 * Shrinkage);
  // 20 W, twice as much as modelled.
  EXPECT_NEAR(M.at(at(1000)).EnergyJ, 60, 60 * Shrinkage);
  EXPECT_NEAR(M.at(at(500)).EnergyJ, 100, 100 * Shrinkage);
}

// Faster than modelled: all of it is.
TEST(MeasuredModel, AFasterRunScales) {
  const MeasuredModel M({{at(1000), 0.5, {}, ""}}, [](const Setting &S) {
    return ModelledRun{1000 / *S.CoreMhz, [](double Seconds) { return 10 * Seconds; }};
  });
  EXPECT_NEAR(M.at(at(500)).TimeS, 1, Shrinkage);
  EXPECT_NEAR(M.at(at(500)).EnergyJ, 10, 10 * Shrinkage);
  EXPECT_FALSE(M.at(at(500)).PowerError);
}

// As long at half the core clock: what is not explained follows the memory's.
TEST(MeasuredModel, TwoRunsSplitTheRestBetweenClocks) {
  std::vector<MeasuredRun> Runs = {{at(1000), 3, 30.0, ""}, {at(500), 3, 30.0, ""}};
  const MeasuredModel M(Runs, oneSecond);
  EXPECT_NEAR(M.at(at(500)).TimeS, 3, 3 * Shrinkage);
  EXPECT_NEAR(M.at(at(1000, 500)).TimeS, 5, 5 * Shrinkage);
  std::ranges::reverse(Runs);
  const MeasuredModel Reversed(Runs, oneSecond);
  EXPECT_DOUBLE_EQ(M.at(at(700, 600)).TimeS, Reversed.at(at(700, 600)).TimeS);
  EXPECT_DOUBLE_EQ(M.at(at(700, 600)).EnergyJ, Reversed.at(at(700, 600)).EnergyJ);
}

// The model's time halves with twice the clock, and the runs': each further run narrows the errors.
TEST(MeasuredModel, FurtherRunsNarrow) {
  const MeasuredModel::Model Halves = [](const Setting &S) {
    return ModelledRun{1000 / *S.CoreMhz, [](double Seconds) { return 10 * Seconds; }};
  };
  const MeasuredModel One({{at(1000), 1, 10.0, ""}}, Halves);
  const MeasuredModel Two({{at(1000), 1, 10.0, ""}, {at(500), 2, 20.0, ""}}, Halves);
  EXPECT_LT(One.at(at(1000)).TimeError, 0.02);
  EXPECT_GT(One.at(at(500)).TimeError, 0.1);
  EXPECT_LT(Two.at(at(500)).TimeError, 0.02);
  EXPECT_GT(Two.at(at(700)).TimeError, Two.at(at(500)).TimeError);
  EXPECT_LT(Two.at(at(700)).TimeError, One.at(at(700)).TimeError);
  EXPECT_EQ(One.errorOfRatio(at(500), at(500), 1, 0), 0);
  EXPECT_GT(One.errorOfRatio(at(500), at(1000), 1, 0), Two.errorOfRatio(at(500), at(1000), 1, 0));
  const std::vector<Setting> Settings = {at(500), at(700), at(1000)};
  ASSERT_TRUE(nextToMeasure(One, Settings));
  EXPECT_EQ(*nextToMeasure(One, Settings)->CoreMhz, 500);
  const std::vector<Setting> Known = {at(500), at(1000)};
  EXPECT_FALSE(nextToMeasure(Two, Known));
}

// The same setting twice: between both.
TEST(MeasuredModel, RunsOfOneSettingAreAveraged) {
  const MeasuredModel M({{at(1000), 2, {}, ""}, {at(1000), 2.2, {}, ""}}, oneSecond);
  EXPECT_NEAR(M.at(at(1000)).TimeS, std::sqrt(2 * 2.2), 2 * Shrinkage);
}
