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

static ChangeErrors stated(std::optional<SlopeErrors> Time, std::optional<SlopeErrors> Power = {}) {
  return {Time, Power, "fit"};
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
  EXPECT_LT(One.at(at(1000)).TimeError.Below, 0.02);
  EXPECT_GT(One.at(at(500)).TimeError.Below, 0.1);
  EXPECT_LT(Two.at(at(500)).TimeError.Below, 0.02);
  EXPECT_GT(Two.at(at(700)).TimeError.Below, Two.at(at(500)).TimeError.Below);
  EXPECT_LT(Two.at(at(700)).TimeError.Below, One.at(at(700)).TimeError.Below);
  EXPECT_EQ(One.errorOfRatio(at(500), at(500), 1, 0), 0);
  EXPECT_GT(One.errorOfRatio(at(500), at(1000), 1, 0), Two.errorOfRatio(at(500), at(1000), 1, 0));
  const std::vector<Setting> Settings = {at(500), at(700), at(1000)};
  ASSERT_TRUE(nextToMeasure(One, Settings));
  EXPECT_EQ(*nextToMeasure(One, Settings)->CoreMhz, 500);
  const std::vector<Setting> Known = {at(500), at(1000)};
  EXPECT_FALSE(nextToMeasure(Two, Known));
}

// As long at any clock by the model: at half the core clock it may be up to twice as long, not
// shorter, but for what a run is off by itself.
TEST(MeasuredModel, TimesChangeByNoMoreThanTheClocks) {
  const ChangeErrors Wide = stated(SlopeErrors{5, 5, 0});
  const MeasuredModel M({{at(1000), 1, 10.0, ""}}, oneSecond, Wide);
  const MeasuredModel::Sides Error = M.at(at(500)).TimeError;
  EXPECT_LT(Error.Below, 0.07);
  EXPECT_NEAR(1.96 * Error.Above, std::log(2), 1.96 * 0.07);
  // Faster clocks: not longer, and at the best as much shorter as they are faster.
  EXPECT_LT(M.at(at(2000)).TimeError.Above, 0.07);
  EXPECT_NEAR(1.96 * M.at(at(2000)).TimeError.Below, std::log(2), 1.96 * 0.07);
}

// What a fit says of programs that it did not see is in the place of what is known elsewhere.
TEST(MeasuredModel, ErrorsAreThoseThatAFitStates) {
  const std::vector<MeasuredRun> Runs = {{at(1000), 1, 10.0, ""}};
  const MeasuredModel Elsewhere(Runs, oneSecond);
  // Core and memory share what there is: where the one has more, the other has less.
  const ChangeErrors Shared = stated(SlopeErrors{0.4, 0.4, -0.95});
  const MeasuredModel Stated(Runs, oneSecond, Shared);
  EXPECT_GT(Stated.at(at(800)).TimeError.Above, 1.5 * Elsewhere.at(at(800)).TimeError.Above);
  EXPECT_LT(Stated.at(at(800, 800)).TimeError.Above, Stated.at(at(800)).TimeError.Above);
  const ChangeErrors Sure = stated(SlopeErrors{0.01, 0.01, 0}, SlopeErrors{0.01, 0.01, 0});
  const MeasuredModel Known(Runs, oneSecond, Sure);
  EXPECT_LT(Known.at(at(500)).TimeError.Above, 0.5 * Elsewhere.at(at(500)).TimeError.Above);
  EXPECT_LT(*Known.at(at(500)).PowerError, 0.6 * *Elsewhere.at(at(500)).PowerError);
}

// A surer prior does not hold back what two runs say.
TEST(MeasuredModel, RunsAreNotHeldBack) {
  const ChangeErrors Sure = stated({}, SlopeErrors{0.01, 0.01, 0});
  const MeasuredModel M({{at(1000), 1, 10.0, ""}, {at(500), 1, 8.0, ""}}, oneSecond, Sure);
  EXPECT_NEAR(M.at(at(500)).EnergyJ, 8, 0.1);
}

// 10 J of work whatever its time, and nothing constant: a time that is off changes no energy. What
// is constant does: all of it, in the model above.
TEST(MeasuredModel, EnergyFollowsTimeByWhatIsConstant) {
  const MeasuredModel Work({{at(1000), 1, 10.0, ""}}, [](const Setting &) {
    return ModelledRun{1, [](double) { return 10.0; }};
  });
  const MeasuredModel::Answer OfWork = Work.at(at(500));
  EXPECT_NEAR(OfWork.error(1, 0).Above, *OfWork.PowerError, 1e-9);
  EXPECT_GT(OfWork.error(1, -1).Below, *OfWork.PowerError); // the time may be longer: less power
  EXPECT_GT(OfWork.error(1, -1).Below, OfWork.error(1, -1).Above);
  const MeasuredModel Constant({{at(1000), 1, 10.0, ""}}, oneSecond);
  const MeasuredModel::Answer OfTime = Constant.at(at(500));
  EXPECT_NEAR(OfTime.error(1, 0).Above, std::hypot(OfTime.TimeError.Above, *OfTime.PowerError),
              1e-9);
  EXPECT_NEAR(OfTime.error(1, -1).Above, *OfTime.PowerError, 1e-9);
}

// The same setting twice: between both.
TEST(MeasuredModel, RunsOfOneSettingAreAveraged) {
  const MeasuredModel M({{at(1000), 2, {}, ""}, {at(1000), 2.2, {}, ""}}, oneSecond);
  EXPECT_NEAR(M.at(at(1000)).TimeS, std::sqrt(2 * 2.2), 2 * Shrinkage);
}
