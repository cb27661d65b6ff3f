//===- TypicalSweepTest.cpp - what programs need in the mean --------------===//
//
// Tables small enough to work out by hand.
//
//===----------------------------------------------------------------------===//

#include "model/fit/TypicalSweep.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace ergon;

static Sample row(const std::string &Workload, double CoreMhz, double EnergyJ) {
  Sample Result;
  Result.Workload = Workload;
  Result.Clocks.CoreMhz = CoreMhz;
  Result.TimeS = 1;
  Result.EnergyJ = EnergyJ;
  return Result;
}

static std::optional<TypicalEnergy> typical(std::vector<Sample> Rows) {
  Samples S;
  S.Rows = std::move(Rows);
  nameFamilies(S);
  return typicalEnergy(S, std::vector<bool>(S.Rows.size(), true));
}

// Two inputs of one program need e^-0.2 and e^-0.4 at half the clock, and another program e^-0.1:
// families count alike, -(0.3 + 0.1)/2.
TEST(TypicalEnergy, FamiliesCountAlike) {
  const auto T = typical({row("a/1", 500, std::exp(-0.2)), row("a/1", 1000, 1), row("a/2", 1000, 3),
                          row("a/2", 500, 3 * std::exp(-0.4)), row("b", 1000, 5),
                          row("b", 500, 5 * std::exp(-0.1))});
  ASSERT_TRUE(T);
  ASSERT_EQ(T->Settings.size(), 2u);
  EXPECT_EQ(*T->Settings[0].Clocks.CoreMhz, 1000);
  EXPECT_EQ(T->Settings[0].LogEnergy, 0);
  EXPECT_NEAR(T->Settings[1].LogEnergy, -0.2, 1e-12);
}

// Settings that more than one workload in ten lacks are none; one workload, or one setting, says
// nothing.
TEST(TypicalEnergy, NeedsSweepsToCompare) {
  EXPECT_FALSE(typical({row("a", 500, 1), row("a", 1000, 2)}));
  EXPECT_FALSE(typical({row("a", 500, 1), row("a", 1000, 2), row("b", 1000, 1), row("b", 700, 1)}));
  const auto T = typical(
      {row("a", 500, 1), row("a", 700, 1), row("a", 1000, 2), row("b", 500, 1), row("b", 1000, 1)});
  ASSERT_TRUE(T);
  EXPECT_EQ(T->Settings.size(), 2u);
}
