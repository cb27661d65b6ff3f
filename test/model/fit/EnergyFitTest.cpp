//===- EnergyFitTest.cpp - fits, and what is evaluated against runs -------===//

#include "model/fit/EnergyFit.h"
#include "model/energy/Roofline.h"
#include "model/fit/Evaluation.h"
#include "model/fit/NonNegativeLeastSquares.h"

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>

using namespace ergon;
using testing::DoubleNear;
using testing::ElementsAre;

//===----------------------------------------------------------------------===//
// Non-negative least squares
//===----------------------------------------------------------------------===//

/// The best of the least squares of every subset of columns that has no negative part.
static Eigen::VectorXd bruteForce(const Eigen::MatrixXd &X, const Eigen::VectorXd &Target) {
  Eigen::VectorXd Best = Eigen::VectorXd::Zero(X.cols());
  double Least = Target.squaredNorm();
  for (unsigned Set = 1; Set != 1u << X.cols(); ++Set) {
    std::vector<Eigen::Index> Columns;
    for (Eigen::Index K = 0; K != X.cols(); ++K)
      if (Set >> K & 1)
        Columns.push_back(K);
    const Eigen::MatrixXd Part = X(Eigen::all, Columns);
    const Eigen::VectorXd Prices = Part.colPivHouseholderQr().solve(Target);
    if (Prices.minCoeff() < 0)
      continue;
    if (const double Left = (Part * Prices - Target).squaredNorm(); Left < Least) {
      Least = Left;
      Best.setZero();
      for (std::size_t K = 0; K != Columns.size(); ++K)
        Best[Columns[K]] = Prices[K];
    }
  }
  return Best;
}

TEST(NonNegative, FindsTheBestOfAllSubsets) {
  std::mt19937 Random(1);
  std::normal_distribution<double> Normal;
  for (int Round = 0; Round != 300; ++Round) {
    const int Columns = 1 + Round % 6;
    Eigen::MatrixXd X(12, Columns);
    Eigen::VectorXd Target(12);
    for (double &Value : X.reshaped())
      Value = Normal(Random);
    for (double &V : Target)
      V = Normal(Random);
    const Eigen::VectorXd Found =
        nonNegativeLeastSquares(X.transpose() * X, X.transpose() * Target);
    const Eigen::VectorXd Wanted = bruteForce(X, Target);
    EXPECT_LT((Found - Wanted).cwiseAbs().maxCoeff(), 1e-8) << "round " << Round;
    EXPECT_GE(Found.minCoeff(), 0);
  }
}

TEST(NonNegative, EqualColumnsAreNoTrouble) {
  Eigen::MatrixXd X(3, 3);
  X << 1, 1, 0, 2, 2, 1, 3, 3, 0;
  const Eigen::Vector3d Target(2, 4, 6);
  const Eigen::VectorXd Found = nonNegativeLeastSquares(X.transpose() * X, X.transpose() * Target);
  EXPECT_NEAR((X * Found - Target).norm(), 0, 1e-9);
}

//===----------------------------------------------------------------------===//
// Fits
//===----------------------------------------------------------------------===//

namespace {
/// A row of Choi & Vuduc 2016, Table I: MHz, mV, pJ of SP, integer and memory, and W.
struct TableRow {
  double CoreMhz, CoreMv, MemMhz, MemMv, Sp, Int, Mem, Const;
};
} // namespace
static const TableRow Table1[] = {
    {852, 1030, 924, 1010, 29.0, 60.0, 377.0, 6.8}, {396, 770, 924, 1010, 16.2, 33.5, 377.0, 6.1},
    {852, 1030, 528, 880, 29.0, 60.0, 286.2, 6.3},  {648, 890, 528, 880, 21.7, 44.8, 286.2, 5.9},
    {396, 770, 528, 880, 16.2, 33.5, 286.2, 5.6},   {852, 1030, 204, 800, 29.0, 60.0, 236.5, 6.0},
    {648, 890, 204, 800, 21.7, 44.8, 236.5, 5.6},   {396, 770, 204, 800, 16.2, 33.5, 236.5, 5.2},
    {756, 950, 924, 1010, 24.7, 51.0, 377.0, 6.6},  {180, 760, 528, 880, 15.8, 32.7, 286.2, 5.5},
    {540, 840, 528, 880, 19.3, 39.9, 286.2, 5.8},   {540, 840, 204, 800, 19.3, 39.9, 236.5, 5.4},
    {756, 950, 204, 800, 24.7, 51.0, 236.5, 5.8},   {72, 760, 68, 800, 15.8, 32.7, 236.5, 5.2},
    {756, 950, 68, 800, 24.7, 51.0, 236.5, 5.8},    {180, 760, 924, 1010, 15.8, 32.7, 377.0, 6.0}};

/// Runs whose energies the printed table adds up to, at all of its settings.
static Samples printedRuns() {
  Samples Result{{"flops_sp", "integers", "bytes_dram"}, {}};
  std::mt19937 Random(2);
  std::uniform_real_distribution<double> Log(-1, 1);
  for (int Workload = 0; Workload != 12; ++Workload) {
    const double Counts[] = {4e9 * std::pow(10, Log(Random)), 2e9 * std::pow(10, Log(Random)),
                             4e8 * std::pow(10, Log(Random))};
    for (const TableRow &Row : Table1) {
      // Bound by arithmetic or by memory, whichever takes longer.
      const double TimeS = std::max((Counts[0] + Counts[1]) / (150 * Row.CoreMhz * 1e6),
                                    Counts[2] / (14 * Row.MemMhz * 1e6));
      const double DynamicJ =
          (Counts[0] * Row.Sp + Counts[1] * Row.Int + Counts[2] * Row.Mem) * 1e-12;
      Result.Rows.push_back({"w" + std::to_string(Workload),
                             {Row.CoreMhz, Row.MemMhz, Row.CoreMv, Row.MemMv, ""},
                             TimeS,
                             DynamicJ + Row.Const * TimeS,
                             {Counts[0], Counts[1], Counts[2]},
                             0});
    }
  }
  return Result;
}

/// Runs of \p Workloads of the same kind as printedRuns(), at twelve settings, with energies and
/// times that are off by some percent.
static Samples manyRuns(int Workloads) {
  Samples Result{{"flops_sp", "integers", "bytes_dram"}, {}};
  std::mt19937 Random(5);
  std::uniform_real_distribution<double> Log(-1, 1);
  std::normal_distribution<double> Noise(0, 0.04);
  for (int Workload = 0; Workload != Workloads; ++Workload) {
    const double Counts[] = {4e9 * std::pow(10, Log(Random)), 2e9 * std::pow(10, Log(Random)),
                             4e8 * std::pow(10, Log(Random))};
    const double Own = 1 + Noise(Random);
    for (const TableRow &Row : std::span(Table1).first(12)) {
      const double TimeS = std::max((Counts[0] + Counts[1]) / (150 * Row.CoreMhz * 1e6),
                                    Counts[2] / (14 * Row.MemMhz * 1e6));
      const double DynamicJ =
          (Counts[0] * Row.Sp + Counts[1] * Row.Int + Counts[2] * Row.Mem) * 1e-12;
      Result.Rows.push_back({"w" + std::to_string(Workload),
                             {Row.CoreMhz, Row.MemMhz, Row.CoreMv, Row.MemMv, ""},
                             TimeS,
                             Own * (1 + Noise(Random)) * (DynamicJ + Row.Const * TimeS),
                             {Counts[0], Counts[1], Counts[2]},
                             0});
    }
  }
  return Result;
}

/// The largest relative error.
static double worst(const std::vector<double> &Errors) {
  return std::abs(
      *std::ranges::max_element(Errors, {}, [](double Value) { return std::abs(Value); }));
}

TEST(EnergyFit, LeavesWorkloadsOutOfLargeTables) {
  // 150 folds of 1,800 rows are too many to fit all other rows for each: errors of workloads left
  // out are held against fits that are really not given the workload.
  const Samples Runs = manyRuns(150);
  EnergyFitOptions Options;
  std::size_t Most = 0, Workloads = 0;
  Options.Progress = [&](std::size_t Done, std::size_t Index, const char *Name) {
    EXPECT_LT(Done, Index);
    Most = std::max(Most, Index);
    Workloads += Name == std::string("families"); // each workload is its own
  };
  const auto All = fitEnergy(Runs, Options);
  ASSERT_TRUE(All) << All.error().What;
  EXPECT_EQ(Most, 150u);
  EXPECT_EQ(Workloads, 150u);
  for (std::size_t Workload : {0, 77, 149}) {
    EnergyFitOptions FitOptions;
    FitOptions.Folds = 2;
    FitOptions.HeldOut.resize(Runs.Rows.size());
    for (std::size_t Row = 12 * Workload; Row != 12 * Workload + 12; ++Row)
      FitOptions.HeldOut[Row] = true;
    const auto Rest = fitEnergy(Runs, FitOptions);
    ASSERT_TRUE(Rest) << Rest.error().What;
    for (std::size_t Row = 12 * Workload; Row != 12 * Workload + 12; ++Row) {
      EXPECT_NEAR(All->ByWorkload.Formula[Row], Rest->InSample.Formula[Row], 0.002) << Row;
      EXPECT_NEAR(All->ByWorkload.Full[Row], Rest->InSample.Full[Row], 0.004) << Row;
    }
  }
}

TEST(EnergyFit, FindsTheConstantsBehindThePrintedTable) {
  const auto Fit = fitEnergy(printedRuns(), {});
  ASSERT_TRUE(Fit) << Fit.error().What;
  const Machine &M = Fit->Fitted;
  // The table's energies are printed to a tenth of a picojoule, its powers to a tenth of a watt.
  for (const TableRow &Row : Table1) {
    const Setting Clocks{Row.CoreMhz, Row.MemMhz, Row.CoreMv, Row.MemMv, ""};
    EXPECT_NEAR(*M.energyPerUnit("flops_sp", Clocks) * 1e12, Row.Sp, 0.015 * Row.Sp);
    EXPECT_NEAR(*M.energyPerUnit("integers", Clocks) * 1e12, Row.Int, 0.015 * Row.Int);
    EXPECT_NEAR(*M.energyPerUnit("bytes_dram", Clocks) * 1e12, Row.Mem, 0.015 * Row.Mem);
    EXPECT_NEAR(*M.constantPower(Clocks), Row.Const, 0.1);
  }
  EXPECT_LT(worst(Fit->InSample.Full), 0.01);
  EXPECT_LT(worst(Fit->BySetting.Full), 0.02);
  EXPECT_LT(worst(Fit->ByWorkload.Full), 0.02);
}

TEST(EnergyFit, RowsHeldOutArePredictedAndNotFitted) {
  Samples S = printedRuns();
  EnergyFitOptions Options;
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row) {
    Options.HeldOut.push_back(Row % 16 >= 8); // type V of the table
    if (Options.HeldOut.back())
      *S.Rows[Row].EnergyJ *= 2; // would be seen if it were fitted
  }
  const auto Fit = fitEnergy(S, Options);
  ASSERT_TRUE(Fit);
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row) {
    EXPECT_NEAR(Fit->InSample.Full[Row], Options.HeldOut[Row] ? -0.5 : 0, 0.02);
    EXPECT_EQ(std::isnan(Fit->BySetting.Full[Row]), Options.HeldOut[Row]);
  }
}

/// Runs of one unknown class and DRAM with watts by a V(f) law, on clocks without voltages.
static Samples runsWithoutVolts(double FlatToMhz, double RisePerMhz) {
  Samples Result{{"work", "bytes_dram"}, {}};
  for (int Workload = 0; Workload != 9; ++Workload)
    for (double Mhz = 400; Mhz <= 1400; Mhz += 100) {
      const double Work = 1e9 * (Workload % 3), Bytes = 1e8 * (1 + Workload / 3);
      const double TimeS = std::max(Work / (1e6 * Mhz), Bytes / 5e8);
      const double V = Mhz > FlatToMhz ? 1 + RisePerMhz * (Mhz - FlatToMhz) : 1;
      const double EnergyJ =
          30e-9 * V * V * Work + 40e-9 * Bytes + (5 + 0.01 * Mhz * V * V) * TimeS;
      Result.Rows.push_back({"w" + std::to_string(Workload),
                             {Mhz, {}, {}, {}, ""},
                             TimeS,
                             EnergyJ,
                             {Work, Bytes},
                             0});
    }
  return Result;
}

TEST(EnergyFit, FindsTheLawOfVoltage) {
  const auto Fit = fitEnergy(runsWithoutVolts(900, 6e-4), {});
  ASSERT_TRUE(Fit);
  const Machine &M = Fit->Fitted;
  ASSERT_TRUE(M.Power.CoreLaw);
  // The grid has the law itself: 900 is a twentieth of the range, 0.3 one of the rises.
  EXPECT_NEAR(M.Power.CoreLaw->volts(900), 1, 0.02);
  EXPECT_NEAR(M.Power.CoreLaw->volts(1400), 1.3, 0.02);
  EXPECT_NEAR(M.Power.Energies.at("work").Coefficient.Value, 30e-9, 1e-9);
  EXPECT_LT(worst(Fit->ByWorkload.Full), 0.02);
}

TEST(EnergyFit, NoLawWhereVoltageDoesNotRise) {
  const auto Fit = fitEnergy(runsWithoutVolts(900, 0), {});
  ASSERT_TRUE(Fit);
  EXPECT_EQ(Fit->Fitted.Power.CoreLaw->RisePerMhz.Value, 0);
}

TEST(EnergyFit, ClassesThatComeTogetherShareAPrice) {
  Samples S = runsWithoutVolts(900, 6e-4);
  S.Classes.push_back("twin");
  for (Sample &Row : S.Rows)
    Row.Counts.push_back(*Row.Counts[0] * 2);
  EnergyFitOptions Options;
  Options.Together = {{"work", "twin"}};
  const auto Fit = fitEnergy(S, Options);
  ASSERT_TRUE(Fit);
  const auto &Prices = Fit->Fitted.Power.Energies;
  const double Work = Prices.at("work").Coefficient.Value,
               Twin = Prices.at("twin").Coefficient.Value;
  EXPECT_NEAR(Work + 2 * Twin, 30e-9, 1e-9); // what one unit of work and its two twins take
  EXPECT_NEAR(Work, 2 * Twin, 1e-12);        // equal shares
}

TEST(EnergyFit, TakesMoreClassesThanACorrectionHasAxes) {
  Samples S{{}, {}};
  std::mt19937 Random(3);
  std::uniform_real_distribution<double> Uniform(0.5, 1.5);
  constexpr int Classes = 40;
  for (int Class = 0; Class != Classes; ++Class)
    S.Classes.push_back("class_" + std::to_string(Class));
  for (int Workload = 0; Workload != 60; ++Workload) {
    std::vector<std::optional<double>> Counts;
    double EnergyJ = 20; // constant, for a second
    for (int Class = 0; Class != Classes; ++Class) {
      Counts.push_back(1e9 * Uniform(Random));
      EnergyJ += (Class + 1) * 1e-10 * *Counts.back();
    }
    S.Rows.push_back(
        {"w" + std::to_string(Workload), {1000, {}, {}, {}, ""}, 1, EnergyJ, Counts, 0});
  }
  const auto Fit = fitEnergy(S, {});
  ASSERT_TRUE(Fit) << Fit.error().What;
  EXPECT_EQ(Fit->Fitted.Fit.Corrects->Axes.size(), Correction::MaxAxes);
  const auto Result = evaluate(Fit->Fitted, S, TimeFrom::Measured);
  ASSERT_TRUE(Result) << Result.error().What;
  EXPECT_LT(worst(Result->EnergyErrors), 0.01);
}

TEST(EnergyFit, RefusesFewerRowsThanCoefficients) {
  Samples S = runsWithoutVolts(900, 0);
  S.Rows.resize(3);
  const auto Fit = fitEnergy(S, {});
  ASSERT_FALSE(Fit);
  EXPECT_EQ(Fit.error().What, "3 rows cannot tell 5 coefficients apart");
}

TEST(EnergyFit, RowsAtThePowerCapAreNoSamplesOfTheirSetting) {
  Samples S = runsWithoutVolts(900, 6e-4);
  double Most = 0;
  for (const Sample &Row : S.Rows)
    Most = std::max(Most, *Row.EnergyJ / Row.TimeS);
  const double CapW = 0.8 * Most;
  for (Sample &Row : S.Rows) // a run above the cap takes longer, at the cap
    if (*Row.EnergyJ / Row.TimeS > CapW) {
      Row.TimeS *= 1.1;
      Row.EnergyJ = CapW * Row.TimeS;
    }
  EnergyFitOptions Options;
  Options.PowerCapW = CapW;
  const auto Fit = fitEnergy(S, Options);
  ASSERT_TRUE(Fit);
  EXPECT_NEAR(Fit->Fitted.Power.Energies.at("work").Coefficient.Value, 30e-9, 1.5e-9);
  // Those at the cap ran 1.1 times as long as their clock says: what they do in that time
  // takes less power than the cap, by that factor at most.
  EXPECT_LT(worst(Fit->InSample.Full), 1 - 1 / 1.1);
}

TEST(EnergyFit, AProfilePredictsWhatTheFitDid) {
  const Samples S = runsWithoutVolts(900, 6e-4);
  const auto Fit = fitEnergy(S, {});
  ASSERT_TRUE(Fit);
  const auto Result = evaluate(Fit->Fitted, S, TimeFrom::Measured);
  ASSERT_TRUE(Result) << Result.error().What;
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row)
    EXPECT_NEAR(Result->EnergyErrors[Row], Fit->InSample.Full[Row], 1e-9);
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

TEST(Evaluation, WhatAChoiceLoses) {
  // 2 J a unit, 10 W constant. Workload a: 1 s at 1000 MHz, 2 s at 500; b the same time at both.
  Machine M;
  M.Settings = {{1000, {}, 1000, {}, ""}, {500, {}, 800, {}, ""}};
  M.Power.Energies["work"] = {{2, ""}, Domain::Core};
  M.Power.Constant.MiscW = {10, ""};
  const Samples S{{"work"},
                  {{"a", {1000, {}, {}, {}, ""}, 1, 30, {10}, 2},
                   {"a", {500, {}, {}, {}, ""}, 2, 33, {10}, 3},
                   {"b", {1000, {}, {}, {}, ""}, 1, 31, {10}, 4},
                   {"b", {500, {}, {}, {}, ""}, 1.01, 25, {10}, 5},
                   {"c", {1000, {}, {}, {}, ""}, 1, 40, {10}, 6}}};
  const auto Result = evaluate(M, S, TimeFrom::Measured);
  ASSERT_TRUE(Result) << Result.error().What;
  // Predicted: a 30 J and 2·0.64·10 + 20 = 32.8 J; b 30 J and 12.8 + 10.1 = 22.9 J.
  EXPECT_THAT(Result->EnergyErrors,
              ElementsAre(DoubleNear(0, 1e-12), DoubleNear(32.8 / 33 - 1, 1e-12),
                          DoubleNear(30.0 / 31 - 1, 1e-12), DoubleNear(22.9 / 25 - 1, 1e-12),
                          DoubleNear(-0.25, 1e-12)));
  ASSERT_EQ(Result->ByFamily.size(), 1u); // c was measured at one setting alone
  const Choices &All = Result->ByFamily.front();
  EXPECT_EQ(All.Model.Workloads, 2u);
  EXPECT_EQ(All.Model.Wrong, 0u);
  EXPECT_EQ(All.Fastest.Wrong, 1u);
  EXPECT_NEAR(All.Fastest.MeanLoss, (31.0 / 25 - 1) / 2, 1e-12);
  EXPECT_NEAR(All.Fastest.MeanLossOfWrong, 31.0 / 25 - 1, 1e-12);
  EXPECT_EQ(All.Slowest.Wrong, 1u);
  EXPECT_NEAR(All.Slowest.MaxLoss, 0.1, 1e-12);
}

TEST(Evaluation, SaysWhatTheProfileCannot) {
  Machine M;
  M.Power.Energies["other"] = {{2, ""}, {}};
  M.Power.Constant.MiscW = {10, ""};
  const Samples S{{"work"}, {{"a", {1000, {}, {}, {}, ""}, 1, 30, {10}, 2}}};
  EXPECT_FALSE(evaluate(M, S, TimeFrom::Measured));
  M.Power.Energies["work"] = {{2, ""}, Domain::Core}; // its voltage is not known
  EXPECT_FALSE(evaluate(M, S, TimeFrom::Measured));
  M.Power.Energies["work"].Rail.reset();
  const auto Result = evaluate(M, S, TimeFrom::Measured);
  ASSERT_TRUE(Result);
  EXPECT_THAT(Result->NotCounted, ElementsAre("other"));
  EXPECT_FALSE(evaluate(M, S, TimeFrom::Predicted)); // no throughput
}

//===----------------------------------------------------------------------===//
// The laws of power
//===----------------------------------------------------------------------===//

TEST(PowerLaw, VoltageIsFlatThenRises) {
  const VoltageLaw Law{{1000, ""}, {5e-4, ""}};
  EXPECT_EQ(Law.volts(400), 1);
  EXPECT_EQ(Law.volts(1000), 1);
  EXPECT_NEAR(Law.volts(1400), 1.2, 1e-12);
}

TEST(PowerLaw, TheCorrectionIsOneFarAway) {
  Correction C;
  C.Axes = {{"work", 2e6}};
  C.CoreFullMhz = 1000;
  C.Length = 0.1;
  C.Points = {0.5, 0.5};
  C.Weights = {0.2};
  double Place[2];
  C.place(std::vector{5e8}, 1000, Place); // a quarter of 2e6 units a second and megahertz
  EXPECT_THAT(Place, ElementsAre(DoubleNear(0.5, 1e-12), DoubleNear(0.5, 1e-12)));
  EXPECT_NEAR(C.logFactor(Place), 0.2, 1e-12);
  C.place(std::vector{2e9}, 1000, Place); // full use: half a unit away
  EXPECT_NEAR(C.logFactor(Place), 0.2 * std::exp(-12.5), 1e-12);
}

TEST(PowerLaw, ACapStretchesARunUntilItsPowerIsTheCap) {
  Machine M;
  M.Power.Energies["work"] = {{3e-9, ""}, {}};
  M.Timing.Throughputs["work"] = {{1e10, ""}, {}, 0};
  M.Power.Constant.MiscW = {10, ""};
  M.Power.Cap = Quantity{25, ""};
  M.Power.Saturates = {{0.5, ""}, {20, ""}};
  const std::vector<std::string> Classes = {"work"};
  const SettingCosts Costs(M, M.defaultSetting(), Classes);
  // 30 W by prices, √(20·30) = 24.5 W by the law, over the cap with 10 W constant: 15 W may
  // stay, which are 15²/20 = 11.25 W by prices. 30 J of prices then take 30/11.25 s.
  const PlainCost Cost = Costs.of(std::vector{1e10});
  EXPECT_NEAR(Cost.TimeS, 30 / 11.25, 1e-9);
  EXPECT_NEAR(Cost.powerW(), 25, 1e-9);
  EXPECT_EQ(Cost.Bound, PlainCost::CapBound);
  // In a measured second it cannot have drawn more than the cap.
  EXPECT_NEAR(Costs.in(1, std::vector{1e10}).EnergyJ, 25, 1e-9);
  EXPECT_NEAR(Costs.in(10, std::vector{1e10}).EnergyJ, 100 + std::sqrt(20 * 3.0) * 10, 1e-9);
}
