//===- PlotAxisTest.cpp - from values to coordinates of a plot ------------===//

#include "report/output/PlotAxis.h"

#include <gmock/gmock.h>

using namespace ergon;
using testing::ElementsAre;

namespace {
/// An axis from pixel 0 to \p Long that has \p Values.
PlotAxis axisOf(const Plot::Axis &About, const std::vector<double> &Values, double Long) {
  PlotAxis Result(About, 0, Long);
  for (const double Value : Values)
    Result.include(Value);
  Result.finish();
  return Result;
}

std::vector<std::string> texts(const PlotAxis &Axis) {
  std::vector<std::string> Result;
  for (const PlotAxis::Tick &T : Axis.ticks())
    Result.push_back(T.Text);
  return Result;
}
} // namespace

// 0 to 100 and a twentieth more, 105, on 1050 pixels: ten pixels each.
TEST(PlotAxis, LinearFromZero) {
  const Plot::Axis About{
      .Label = "power", .Unit = "W", .Kind = Plot::Scale::Linear, .FromZero = true};
  const PlotAxis Axis = axisOf(About, {40, 100}, 1050);
  EXPECT_DOUBLE_EQ(Axis.at(0), 0);
  EXPECT_DOUBLE_EQ(Axis.at(40), 400);
  EXPECT_DOUBLE_EQ(Axis.at(100), 1000);
  EXPECT_THAT(texts(Axis), ElementsAre("0", "20", "40", "60", "80", "100"));
  EXPECT_EQ(Axis.label(), "power in W");
}

// 20 to 60 ms with 2 ms more on each side: 18 to 62 on 44 pixels. A sixth of it is 7.3 ms, and 10
// ms the nearest round step.
TEST(PlotAxis, LinearWithAPrefix) {
  const Plot::Axis About{.Label = "time", .Unit = "s", .Kind = Plot::Scale::Linear};
  const PlotAxis Axis = axisOf(About, {0.06, 0.02}, 44);
  EXPECT_NEAR(Axis.at(0.02), 2, 1e-9);
  EXPECT_NEAR(Axis.at(0.06), 42, 1e-9);
  EXPECT_THAT(texts(Axis), ElementsAre("20", "30", "40", "50", "60"));
  EXPECT_EQ(Axis.label(), "time in ms");
}

// A narrow range keeps the digits that tell its ticks apart.
TEST(PlotAxis, NarrowRange) {
  const Plot::Axis About{.Label = "energy", .Unit = "J", .Kind = Plot::Scale::Logarithmic};
  EXPECT_THAT(texts(axisOf(About, {100.02, 100.08}, 100)),
              ElementsAre("100.02", "100.03", "100.04", "100.05", "100.06", "100.07", "100.08"));
}

// 0.1 to 100: three decades and 0.15 on each side, 3.3 on 330 pixels.
TEST(PlotAxis, LogarithmicOverDecades) {
  const Plot::Axis About{.Label = "x", .Kind = Plot::Scale::Logarithmic};
  const PlotAxis Axis = axisOf(About, {0.1, 100}, 330);
  EXPECT_NEAR(Axis.at(0.1), 15, 1e-9);
  EXPECT_NEAR(Axis.at(1), 115, 1e-9);
  EXPECT_THAT(texts(Axis),
              ElementsAre("0.1", "0.2", "0.5", "1", "2", "5", "10", "20", "50", "100"));
  EXPECT_FALSE(Axis.shows(0));
  EXPECT_FALSE(Axis.shows(-1));
}

// Doublings are equally far apart, from end to end.
TEST(PlotAxis, GivenTicks) {
  const Plot::Axis About{.Label = "p", .Kind = Plot::Scale::Logarithmic, .Ticks = {1, 2, 4, 8}};
  const PlotAxis Axis = axisOf(About, {2}, 300);
  EXPECT_DOUBLE_EQ(Axis.at(1), 0);
  EXPECT_DOUBLE_EQ(Axis.at(2), 100);
  EXPECT_DOUBLE_EQ(Axis.at(8), 300);
  EXPECT_THAT(texts(Axis), ElementsAre("1", "2", "4", "8"));
  // One alone stands in the middle.
  const Plot::Axis One{.Label = "p", .Kind = Plot::Scale::Logarithmic, .Ticks = {16}};
  EXPECT_DOUBLE_EQ(axisOf(One, {16}, 300).at(16), 150);
}

// As before: 1 to 1000 for 3 to 700.
TEST(PlotAxis, WholeDecades) {
  const Plot::Axis About{.Label = "flop/s"};
  const PlotAxis Axis = axisOf(About, {3, 700}, 300);
  EXPECT_DOUBLE_EQ(Axis.at(10), 100);
  EXPECT_THAT(texts(Axis), ElementsAre("1e0", "1e1", "1e2", "1e3"));
}

// What has no range, or next to none, still ends, in finite coordinates.
TEST(PlotAxis, OneValue) {
  for (const auto Kind : {Plot::Scale::Linear, Plot::Scale::Logarithmic, Plot::Scale::Decades})
    for (const double Value : {1e-299, 5.0, 1e299}) {
      const Plot::Axis About{.Label = "", .Unit = "s", .Kind = Kind};
      const PlotAxis Axis = axisOf(About, {Value}, 100);
      EXPECT_GE(Axis.at(Value), 0) << Value;
      EXPECT_LE(Axis.at(Value), 100) << Value;
      EXPECT_LE(Axis.ticks().size(), 12U) << Value;
    }
  const Plot::Axis Zero{.Label = "", .Kind = Plot::Scale::Linear, .FromZero = true};
  EXPECT_DOUBLE_EQ(axisOf(Zero, {0}, 100).at(0), 0);
}
