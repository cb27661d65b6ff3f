//===- PowerReadingsTest.cpp - power over time ----------------------------===//

#include "model/measurements/PowerReadings.h"
#include "model/measurements/LogAlignment.h"

#include <gtest/gtest.h>

namespace ergon {

static const std::vector<PowerReading> Ramp = {
    {0, 10, 500, {}}, {1, 20, 1000, {}}, {2, 30, 1000, {}}, {3, 40, 1000, {}}};

TEST(PowerReadings, AreIntegratedByTrapezoids) {
  EXPECT_EQ(readingPeriodS(Ramp), 1);
  EXPECT_DOUBLE_EQ(integratedEnergyJ(Ramp, 0, 3).value(), 75);
  EXPECT_DOUBLE_EQ(integratedEnergyJ(Ramp, 0.5, 2.5).value(), 50); // 15 to 35 W for 2 s
  EXPECT_DOUBLE_EQ(integratedEnergyJ(Ramp, 1.2, 1.4).value(), 0.2 * 23);
  EXPECT_DOUBLE_EQ(integratedEnergyJ(Ramp, 3, 3.4).value(), 16); // less than half a period after
  EXPECT_FALSE(integratedEnergyJ(Ramp, 0, 3.6));
  EXPECT_FALSE(integratedEnergyJ(Ramp, -1, 2));
  EXPECT_FALSE(integratedEnergyJ({}, 0, 1));
}

TEST(PowerReadings, HaveAMeanOverThoseInside) {
  EXPECT_DOUBLE_EQ(meanPowerW(Ramp, 0.9, 3.1).value(), 30);
  EXPECT_FALSE(meanPowerW(Ramp, 1.5, 3.1)); // two readings
  EXPECT_FALSE(meanPowerW(Ramp, 0.9, 6));   // not covered
}

TEST(PowerReadings, HaveClocks) {
  EXPECT_EQ(clocksBetween(Ramp, 0.5, 3).first, 1000);
  EXPECT_EQ(clocksBetween(Ramp, 0.1, 0.2).first, 500); // the nearest
  EXPECT_EQ(clocksBetween(Ramp, 0.5, 3).second, std::nullopt);
}

TEST(PowerReadings, HaveALoadedPart) {
  std::vector<PowerReading> Readings;
  for (int K = 0; K != 30; ++K)
    Readings.push_back({K * 0.1, K < 10 ? 40.0 : 160.0, {}, {}});
  const LoadedPart Part = loadedPart(Readings);
  EXPECT_DOUBLE_EQ(Part.MeanW, 160);
  EXPECT_NEAR(Part.DurationS, 2, 1e-9);
  EXPECT_TRUE(Part.HasIdle);
  EXPECT_EQ(loadedPart({}).Readings, 0u);
}

TEST(LogAlignment, MakesStretchesOfLaunches) {
  const std::vector<TimedLaunch> Launches = {{0, 0, 1}, {0, 1.01, 1}, {1, 2.02, 1}, {0, 4, 1}};
  const auto Stretches = stretchesOf(Launches, 0.1);
  ASSERT_EQ(Stretches.size(), 3u);
  EXPECT_EQ(Stretches[0].Launches, 2);
  EXPECT_DOUBLE_EQ(Stretches[0].BusyS, 2);
  EXPECT_DOUBLE_EQ(Stretches[0].UntilS, 2.01);
}

TEST(LogAlignment, DoesNotChooseBetweenTwoPlaces) {
  // The log has two loads of different power, the list one kernel.
  std::vector<PowerReading> Readings;
  for (int K = 0; K != 60; ++K)
    Readings.push_back({K * 0.1,
                        K >= 10 && K < 20   ? 100.0
                        : K >= 40 && K < 50 ? 100.0
                                            : 40.0,
                        {},
                        {}});
  const std::vector<Stretch> One = {{0, 0, 1, 1, 20}};
  const auto Same = alignLog(One, Readings);
  ASSERT_FALSE(Same); // half of the load stays unexplained
  EXPECT_EQ(Same.error().substr(0, 33), "no offset explains its readings (");
  const std::vector<PowerReading> Short(Readings.begin(), Readings.begin() + 5);
  EXPECT_EQ(alignLog(One, Short).error(), "the power log lasts 0.4 s, the kernels 1 s");
}

} // namespace ergon
