//===- ThresholdsTest.cpp - how large a change has to be ------------------===//

#include "model/lint/Thresholds.h"

#include <gtest/gtest.h>

#include <vector>

using namespace ergon;

static Thresholds of(const std::vector<std::string> &Texts) {
  auto Parsed = parseThresholds(Texts);
  EXPECT_TRUE(Parsed) << (Parsed ? "" : Parsed.error().line());
  return Parsed.value_or(Thresholds());
}

TEST(ThresholdsTest, WithoutOneEveryDifferenceCounts) {
  EXPECT_TRUE(of({}).exceededByEnergy(1, 1.0001));
  EXPECT_TRUE(of({}).exceededByTime(1, 0.9999));
  EXPECT_FALSE(of({}).exceededByEnergy(1, 1));
  EXPECT_FALSE(of({}).exceededByEnergy(1, 1 + 1e-12)) << "rounding";
}

TEST(ThresholdsTest, ASharedOneIsOfTheValueBefore) {
  const Thresholds One = of({"1%"});
  EXPECT_TRUE(One.exceededByEnergy(100, 101.5));
  EXPECT_FALSE(One.exceededByEnergy(100, 100.5));
  EXPECT_TRUE(One.exceededByTime(100, 98.5));
  EXPECT_TRUE(One.exceededByTime(0, 1e-6)) << "any share of nothing";
}

TEST(ThresholdsTest, AnAbsoluteOneIsOfItsQuantityAlone) {
  const Thresholds Long = of({"20 ms"});
  EXPECT_TRUE(Long.exceededByTime(1, 1.021));
  EXPECT_FALSE(Long.exceededByTime(1, 1.019));
  EXPECT_FALSE(Long.exceededByEnergy(1, 1000));
  EXPECT_TRUE(of({"0.5J", "20ms"}).exceededByEnergy(1, 1.6));
}

TEST(ThresholdsTest, AllThatApplyAreExceeded) {
  const Thresholds Both = of({"1%", "1mJ"});
  EXPECT_FALSE(Both.exceededByEnergy(1e-6, 2e-6)) << "much of nothing";
  EXPECT_FALSE(Both.exceededByEnergy(1, 1.005)) << "little of much";
  EXPECT_TRUE(Both.exceededByEnergy(1, 1.02));
  EXPECT_TRUE(Both.exceededByTime(1e-6, 2e-6)) << "the joules say nothing of it";
  EXPECT_FALSE(of({"5%", "1%"}).exceededByEnergy(1, 1.02)) << "the larger one";
}

TEST(ThresholdsTest, WhatIsNoThreshold) {
  for (const char *Text : {"", "1", "-1%", "0J", "1W", "1xs", "%", "1 %J", "1e999J", "nan%"})
    EXPECT_FALSE(parseThresholds(std::vector<std::string>{Text})) << Text;
}
