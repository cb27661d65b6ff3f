//===- PriceErrorsTest.cpp - how far prices may be off --------------------===//
//
// A machine without constant power, so that an error of the price is one of the energy.
//
//===----------------------------------------------------------------------===//

#include "model/fit/PriceErrors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace ergon;

/// A flop takes 1 nJ, give or take \p PriceError; programs are 5 % off.
static Machine machine(double PriceError) {
  Machine M;
  M.Sources["s"] = {SourceKind::Fitted, "a test", "2026", "", "in /fit"};
  M.Settings = {{1000, {}, {}, {}, "s"}};
  M.Timing.Throughputs["flops_f64"] = {{1e9, "s"}, Domain::Core, 1000};
  M.Power.Energies["flops_f64"] = {{1e-9, "s"}, std::nullopt};
  M.Power.Constant.MiscW = Quantity{0, "s"};
  FitQuality &Quality = M.Fit.Quality.emplace();
  Quality.EnergyError = Quantity{0.05, "s"};
  Quality.JointCovariance.emplace().append({"energy.flops_f64"}, {{PriceError * PriceError}});
  return M;
}

/// A hundred programs, each its own family, all measured \p Away in the logarithm from predicted.
static double narrowed(double PriceError, double Away) {
  Samples S;
  S.Classes = {"flops_f64"};
  std::vector<double> Errors;
  for (int Program = 0; Program != 100; ++Program) {
    Sample Row;
    Row.Workload = "p" + std::to_string(Program);
    Row.Clocks.CoreMhz = 1000;
    Row.TimeS = 1;
    Row.EnergyJ = 1;
    Row.Counts = {1e9};
    S.Rows.push_back(std::move(Row));
    Errors.push_back(std::exp(Program % 2 ? Away : -Away) - 1);
  }
  nameFamilies(S);
  Machine M = machine(PriceError);
  narrowPriceErrors(M, S, Errors);
  return std::sqrt(M.Fit.Quality->JointCovariance->Relative[0][0]);
}

// All are 0.098 off, 1.96 times 0.05: a price that may be twice as large is as sure as 5 %, but for
// Student's t of 99 degrees of freedom, 1.984 over 1.96.
TEST(PriceErrors, AreWhatProgramsWereOffBy) {
  EXPECT_NEAR(narrowed(1, 0.098), 0.05 * 1.984 / 1.96, 1e-4);
}

// Errors are not made larger, and what is below that of programs is left as it is.
TEST(PriceErrors, OnlyBecomeSmaller) {
  EXPECT_DOUBLE_EQ(narrowed(0.1, 1), 0.1);
  EXPECT_DOUBLE_EQ(narrowed(0.04, 0.01), 0.04);
}
