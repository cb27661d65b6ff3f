//===- CostUncertaintyTest.cpp - errors of costs --------------------------===//
//
// Errors of coefficients carried to time, energy and power. The slopes are written
// out by hand in each test: for T = W/R and E = W·ε + π0·T,
// d ln E/d ln ε = W·ε/E, d ln E/d ln π0 = π0·T/E and d ln E/d ln R = -π0·T/E.
//
//===----------------------------------------------------------------------===//

#include "model/energy/Cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

using namespace ergon;
using testing::ElementsAre;

static Source stated(double Sd) { return {SourceKind::Measured, "a test", "2024", "", Sd}; }
static Source silent(SourceKind Kind) { return {Kind, "a test", "2024", "", "none"}; }

/// 1e9 flops take 1 s at 1000 MHz and 2 s at 500, 1 J, and 5 W are drawn all the time.
/// The rate is known to 10 %, the energy to 20 %, the constant power to 5 %.
static Machine machine() {
  Machine M;
  M.Sources = {{"rate", stated(0.1)},
               {"energy", stated(0.2)},
               {"constant", stated(0.05)},
               {"silent", silent(SourceKind::Published)},
               {"fitted", silent(SourceKind::Fitted)}};
  M.Settings = {{1000, {}, {}, {}, "silent"}, {500, {}, {}, {}, "silent"}};
  M.Timing.Throughputs["flops_f64"] = {{1e9, "rate"}, Domain::Core, 1000};
  M.Power.Energies["flops_f64"] = {{1e-9, "energy"}, std::nullopt};
  M.Power.Constant.MiscW = Quantity{5, "constant"};
  return M;
}

static CountValues flops(double Count) {
  CountValues Result;
  Result.Values["flops_f64"] = Rational(long(Count));
  Result.DramIsRequested = false;
  return Result;
}

static Cost costOf(const Machine &M) { return costOn(M, M.Settings[0], flops(1e9)); }

/// Half of an interval that is 95 % of a normal distribution, in standard deviations. It is as wide
/// to both sides, as a ratio.
static double deviation(const Interval &I) {
  EXPECT_NEAR(I.High / I.Value, I.Value / I.Low, 1e-9);
  return std::log(I.High / I.Value) / 1.96;
}

TEST(Uncertainty, OfCoefficientsIsCarriedToFirstOrder) {
  const Cost C = costOf(machine());
  EXPECT_DOUBLE_EQ(C.TimeS.Value, 1);
  EXPECT_DOUBLE_EQ(C.EnergyJ.Value, 6);
  EXPECT_NEAR(deviation(C.TimeS), 0.1, 1e-5);
  // Slopes 1/6, 5/6 and -5/6.
  EXPECT_NEAR(deviation(C.EnergyJ), std::hypot(0.2 / 6, 0.05 * 5 / 6, 0.1 * 5 / 6), 1e-5);
  // P = ε·R + π0: slopes 1/6, 5/6 and 1/6.
  EXPECT_NEAR(deviation(C.PowerW), std::hypot(0.2 / 6, 0.05 * 5 / 6, 0.1 / 6), 1e-5);
  EXPECT_TRUE(C.ErrorNotStated.empty());
}

TEST(Uncertainty, WhatIsNotStatedIsNamedAndAddsNothing) {
  Machine M = machine();
  M.Power.Energies["flops_f64"].Coefficient.Source = "silent";
  M.Power.Energies["flops_f32"] = {{1e-9, "silent"}, std::nullopt}; // never counted
  const Cost C = costOf(M);
  EXPECT_THAT(C.ErrorNotStated, ElementsAre("energy.flops_f64"));
  EXPECT_NEAR(deviation(C.EnergyJ), std::hypot(0.05 * 5 / 6, 0.1 * 5 / 6), 1e-5);
  // Where the energy says nothing, a class costs nothing whatever its relative error.
  M.Power.Energies["flops_f64"].Coefficient.Value = 0;
  EXPECT_TRUE(costOf(M).ErrorNotStated.empty());
}

TEST(Uncertainty, WhatALawGivesIsNamedAndHasTheLawsError) {
  Machine M = machine();
  M.Sources["law"] = silent(SourceKind::Estimated);
  M.Power.Energies["flops_f64"].Coefficient.Source = "law";
  M.Power.Energies["flops_f32"] = {{1e-9, "law"}, std::nullopt}; // never counted
  EXPECT_THAT(costOf(M).ErrorNotStated, ElementsAre("energy.flops_f64"));
  M.Fit.Quality.emplace().EnergyError = Quantity{0.6, "law"};
  const Cost C = costOf(M);
  EXPECT_TRUE(C.ErrorNotStated.empty());
  EXPECT_THAT(C.Estimated, ElementsAre("energy.flops_f64"));
  EXPECT_NEAR(deviation(C.EnergyJ), 0.6, 1e-5);
}

TEST(Uncertainty, CovarianceStandsInForTheSources) {
  Machine M = machine();
  // As large as before, but the two make up for each other in part.
  M.Fit.Quality.emplace().JointCovariance = Covariance{
      {"constant_power.misc_w", "energy.flops_f64"}, {{0.0025, -0.008}, {-0.008, 0.04}}, "fitted"};
  const double Variance = 0.0025 * 25 / 36 + 0.04 / 36 - 2 * 0.008 * 5 / 36 + 0.01 * 25 / 36;
  EXPECT_NEAR(deviation(costOf(M).EnergyJ), std::sqrt(Variance), 1e-5);
}

TEST(Uncertainty, OfAFitHoldsItsCoefficients) {
  Machine M = machine();
  M.Power.Energies["flops_f64"].Coefficient.Source = "fitted";
  M.Power.Constant.MiscW->Source = "fitted";
  EXPECT_THAT(costOf(M).ErrorNotStated, ElementsAre("constant_power.misc_w", "energy.flops_f64"));
  M.Fit.Quality.emplace().EnergyError = Quantity{0.06, "fitted"};
  M.Fit.Quality->TimeError = Quantity{0.3, "fitted"};
  const Cost C = costOf(M);
  EXPECT_TRUE(C.ErrorNotStated.empty());
  // Energy is fitted with measured time: 5/6 of it follows an error in time.
  EXPECT_NEAR(deviation(C.TimeS), 0.3, 1e-5);
  EXPECT_NEAR(deviation(C.EnergyJ), std::hypot(0.06, 0.3 * 5 / 6), 1e-5);
  EXPECT_NEAR(deviation(C.PowerW), std::hypot(0.06, 0.3 / 6), 1e-5);
  // Where the coefficients' own error is the larger one, it is that.
  M.Fit.Quality->TimeError->Value = 0.02;
  EXPECT_NEAR(deviation(costOf(M).TimeS), 0.1, 1e-5);
}

// Runs take up to exp(1.96·0.4) of the predicted time, and no less than exp(-1.96·0.2).
TEST(Uncertainty, TimesMayBeLongerThanShorter) {
  Machine M = machine();
  M.Sources["rate"] = silent(SourceKind::Fitted);
  M.Power.Energies["flops_f64"].Coefficient.Source = "rate";
  M.Power.Constant.MiscW->Source = "rate";
  FitQuality &Quality = M.Fit.Quality.emplace();
  Quality.EnergyError = Quantity{0, "rate"};
  Quality.TimeError = Quantity{0.4, "rate"};
  Quality.TimeErrorBelow = Quantity{0.2, "rate"};
  const Cost C = costOf(M);
  EXPECT_NEAR(C.TimeS.High, std::exp(1.96 * 0.4), 1e-9);
  EXPECT_NEAR(C.TimeS.Low, std::exp(-1.96 * 0.2), 1e-9);
  // 5/6 of the energy is constant power's; a longer run draws less power.
  EXPECT_NEAR(C.EnergyJ.High / C.EnergyJ.Value, std::exp(1.96 * 0.4 * 5 / 6), 1e-9);
  EXPECT_NEAR(C.EnergyJ.Low / C.EnergyJ.Value, std::exp(-1.96 * 0.2 * 5 / 6), 1e-9);
  EXPECT_NEAR(C.PowerW.High / C.PowerW.Value, std::exp(1.96 * 0.2 / 6), 1e-9);
  EXPECT_NEAR(C.PowerW.Low / C.PowerW.Value, std::exp(-1.96 * 0.4 / 6), 1e-9);
}

TEST(Uncertainty, JoinsTheCountsBounds) {
  CountValues Counts = flops(1e9);
  Counts.Ranges["flops_f64"] = {Rational(500000000), Rational(2000000000)};
  const Machine M = machine();
  const Cost C = costOn(M, M.Settings[0], Counts);
  EXPECT_NEAR(C.TimeS.Low, 0.5 * std::exp(-1.96 * 0.1), 1e-5);
  EXPECT_NEAR(C.TimeS.High, 2 * std::exp(1.96 * 0.1), 1e-5);
}

TEST(Uncertainty, NothingIsBelowZero) {
  Machine M = machine();
  M.Sources["rate"] = stated(3);
  EXPECT_NEAR(costOf(M).TimeS.Low, std::exp(-1.96 * 3), 1e-4);
}

TEST(Uncertainty, OfARatioIsWithoutWhatErrsAtBothAlike) {
  Machine M = machine();
  const PreparedMachine Prepared(M, M.Settings, {"flops_f64"});
  Piece Work;
  Work.Amounts = {1e9};
  const Response Fast = Prepared.response(0, std::span(&Work, 1)),
                 Slow = Prepared.response(1, std::span(&Work, 1));
  // The same rate stands behind both times, whatever it is.
  EXPECT_NEAR(Prepared.errorOfRatio(Fast, Slow, {0, 1}), 0, 1e-6);
  EXPECT_NEAR(Prepared.error(Fast, {0, 1}), 0.1, 1e-6);
  // E is 1 + 5 J fast and 1 + 10 J slow: slopes 1/6 and 1/11, 5/6 and 10/11, and the
  // rate's against the constant part's.
  const double Energy = 1.0 / 6 - 1.0 / 11, Constant = 10.0 / 11 - 5.0 / 6;
  EXPECT_NEAR(Prepared.errorOfRatio(Fast, Slow, {1, 0}),
              std::hypot(0.2 * Energy, 0.05 * Constant, 0.1 * Constant), 1e-6);
  // E·T: the rate's slope in time is -1 at both.
  EXPECT_NEAR(Prepared.errorOfRatio(Fast, Slow, {1, 1}),
              std::hypot(0.2 * Energy, 0.05 * Constant, 0.1 * Constant), 1e-6);

  M.Fit.Quality.emplace().EnergyError = Quantity{0.5, "fitted"};
  M.Fit.Quality->EnergyChoiceError = Quantity{0.03, "fitted"};
  const PreparedMachine Fitted(M, M.Settings, {"flops_f64"});
  EXPECT_NEAR(Fitted.errorOfRatio(Fast, Slow, {1, 0}), 0.03 * std::sqrt(2), 1e-6);
}

/// A correction that doubles the energy of this run stays as it is when a coefficient changes.
TEST(Uncertainty, OfACorrectedFit) {
  Machine M = machine();
  Correction &Twice = M.Fit.Corrects.emplace();
  Twice.Axes.push_back({"flops_f64", 1e6}); // 1e9 a second at 1000 MHz: fully used
  Twice.Points = {1, 0};
  Twice.Weights = {std::log(2.0)};
  const Cost C = costOf(M);
  EXPECT_NEAR(C.EnergyJ.Value, 12, 1e-9);
  EXPECT_NEAR(deviation(C.EnergyJ), std::hypot(0.2 / 6, 0.05 * 5 / 6, 0.1 * 5 / 6), 1e-5);
}

TEST(Uncertainty, OfThePowerCap) {
  Machine M = machine();
  M.Sources["cap"] = stated(0.01);
  M.Power.Cap = Quantity{5.5, "cap"}; // 1 J at 0.5 W above constant power: 2 s
  const Cost C = costOf(M);
  EXPECT_EQ(C.Bound, "power_cap");
  EXPECT_DOUBLE_EQ(C.TimeS.Value, 2);
  // T = W·ε/(cap - π0): slopes 1 for ε, -5.5/0.5 for the cap, 5/0.5 for π0; none of R.
  EXPECT_NEAR(deviation(C.TimeS), std::hypot(0.2, 0.01 * 11, 0.05 * 10), 1e-4);
  EXPECT_DOUBLE_EQ(C.PowerW.High, 5.5);
}

TEST(CostAt, AnIntervalOfTimeReachesEnergyAndPower) {
  // 10 J at 2 s counted, of which 2 W are constant; a run takes 4 s, of 3 to 8. What the counted
  // time may be off by is nothing to it.
  Cost Counted;
  Counted.TimeS = {2, 1, 1000};
  Counted.EnergyJ = {10, 1, 2000};
  Counted.DynamicJ = {6, 5, 8};
  Cost Found = costAt(Counted, {4, 3, 8}, "dram", 2);
  EXPECT_DOUBLE_EQ(Found.EnergyJ.Value, 14);
  EXPECT_DOUBLE_EQ(Found.EnergyJ.Low, 9 + 2);
  EXPECT_DOUBLE_EQ(Found.EnergyJ.High, 12 + 12);
  EXPECT_DOUBLE_EQ(Found.PowerW.Value, 3.5);
  EXPECT_DOUBLE_EQ(Found.PowerW.Low, (9.0 + 12) / 8); // the same work in the longest time
  EXPECT_DOUBLE_EQ(Found.PowerW.High, (12.0 + 2) / 3);
  Counted.ErrorInTime = std::log(2.0) / 1.96; // a factor of two
  Found = costAt(Counted, {4, 3, 8}, "dram", 2);
  EXPECT_NEAR(Found.EnergyJ.Low, 11.0 / 2, 1e-12);
  EXPECT_NEAR(Found.EnergyJ.High, 24.0 * 2, 1e-12);
}
