//===- TimeFitTest.cpp - throughputs and overlap from times ---------------===//

#include "model/fit/TimeFit.h"
#include "model/energy/Roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

using namespace ergon;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

/// Runs of a made-up machine at three core and two memory clocks: of 1000 flops in a
/// nanosecond at 1 GHz, 400 bytes of main memory at 2 GHz, 10 hops at any clock, 50 beats
/// at 2 GHz of memory; `idle` takes no time. Time is off by \p Noise at most.
static Samples made(double Exponent, double Noise = 0) {
  Samples S{{"flops_f64", "bytes_dram", "hops", "beats", "idle"}, {}};
  for (int W = 0; W != 12; ++W)
    for (double Core : {500.0, 1000.0, 1500.0})
      for (double Mem : {1000.0, 2000.0}) {
        const double Flops = 1e9 * (1 + W % 5), Bytes = 1e8 * (1 + W * W % 13),
                     Hops = 5e6 * (W % 3) * (1 + W % 4), Beats = 3e7 * (W % 2) * (1 + W % 7);
        const double Times[] = {Flops / (1000e9 * Core / 1000), Bytes / (400e9 * Mem / 2000),
                                Hops / 10e9, Beats / (50e9 * Mem / 2000)};
        double Sum = 0;
        for (double T : Times)
          Sum += std::pow(T, Exponent);
        Sample Row;
        Row.Workload = "w" + std::to_string(W);
        Row.Clocks.CoreMhz = Core;
        Row.Clocks.MemMhz = Mem;
        Row.TimeS =
            std::pow(Sum, 1 / Exponent) * (1 + Noise * std::sin(37.0 * double(S.Rows.size() + 1)));
        Row.EnergyJ = 1;
        Row.Counts = {Flops, Bytes, Hops, Beats, 1.0 + W % 2};
        S.Rows.push_back(std::move(Row));
      }
  return S;
}

/// The time of a row on the machine that a fit describes.
static double timeOn(const TimeFit &Fit, const Samples &S, const Sample &Row) {
  Machine M;
  Fit.fillMachine(M, "");
  std::map<std::string, double> Counts;
  for (std::size_t C = 0; C != S.Classes.size(); ++C)
    Counts[S.Classes[C]] = *Row.Counts[C];
  return estimate(M, Row.Clocks, Counts).TimeS;
}

TEST(TimeFit, FindsRatesClocksAndOverlap) {
  for (double Exponent : {1.0, 1.5, 2.0, 4.0}) {
    const Samples S = made(Exponent);
    const TimeFit Fit = fitTime(S);
    EXPECT_EQ(Fit.OverlapExponent, Exponent);
    ASSERT_THAT(Fit.Throughputs, SizeIs(4)) << Exponent;
    const FittedThroughput Wanted[] = {{"flops_f64", 1500e9, Domain::Core, 1500},
                                       {"bytes_dram", 400e9, Domain::Mem, 2000},
                                       {"hops", 10e9, std::nullopt, 0},
                                       {"beats", 50e9, Domain::Mem, 2000}};
    for (std::size_t K = 0; K != std::size(Wanted); ++K) {
      const FittedThroughput &Found = Fit.Throughputs[K];
      EXPECT_EQ(Found.Class, Wanted[K].Class);
      EXPECT_NEAR(Found.PerS / Wanted[K].PerS, 1, 1e-6) << Found.Class;
      EXPECT_EQ(Found.Clock, Wanted[K].Clock) << Found.Class;
      EXPECT_EQ(Found.AtMhz, Wanted[K].AtMhz);
      EXPECT_NEAR(Found.RelativeSd.value(), 0, 1e-5);
    }
    ASSERT_THAT(Fit.Free, SizeIs(1));
    EXPECT_EQ(Fit.Free[0].Class, "idle");
    EXPECT_LT(Fit.InSample.Most, 1e-6);
    EXPECT_LT(Fit.Workloads->Most, 1e-4);
    EXPECT_LT(Fit.Settings->Most, 1e-4);
  }
}

TEST(TimeFit, TheMachineItDescribesTakesTheFittedTimes) {
  const Samples S = made(2, 0.05);
  const TimeFit Fit = fitTime(S);
  for (std::size_t R = 0; R != S.Rows.size(); ++R)
    EXPECT_NEAR(timeOn(Fit, S, S.Rows[R]) / S.Rows[R].TimeS - 1, Fit.Fitted[R], 1e-9);
  EXPECT_LT(Fit.Workloads->Most, 0.1);
  EXPECT_GT(Fit.Workloads->Mean, Fit.InSample.Mean);
}

/// Fits to samples without a workload, made one by one, against what the fit says of them.
TEST(TimeFit, HeldOutErrorsAndJackknifeAreThoseOfFitsWithoutAWorkload) {
  Samples S = made(2, 0.01);
  S.Classes.pop_back(); // fits noise, in some of the fits
  for (Sample &Row : S.Rows)
    Row.Counts.pop_back();
  const TimeFit Fit = fitTime(S);
  std::vector<std::vector<double>> Rates(Fit.Throughputs.size());
  for (int W = 0; W != 12; ++W) {
    Samples Rest = S;
    const std::string Out = "w" + std::to_string(W);
    std::erase_if(Rest.Rows, [&](const Sample &Row) { return Row.Workload == Out; });
    const TimeFit TF = fitTime(Rest);
    ASSERT_EQ(TF.OverlapExponent, Fit.OverlapExponent);
    ASSERT_THAT(TF.Throughputs, SizeIs(Fit.Throughputs.size()));
    for (std::size_t R = 0; R != S.Rows.size(); ++R)
      if (S.Rows[R].Workload == Out)
        EXPECT_NEAR(timeOn(TF, S, S.Rows[R]) / S.Rows[R].TimeS - 1, Fit.WithoutWorkload[R], 1e-9);
    for (std::size_t K = 0; K != Rates.size(); ++K)
      Rates[K].push_back(Fit.Throughputs[K].PerS / TF.Throughputs[K].PerS);
  }
  for (std::size_t K = 0; K != Rates.size(); ++K) {
    double Mean = 0, Squares = 0;
    for (double Rate : Rates[K])
      Mean += Rate / 12;
    for (double Rate : Rates[K])
      Squares += (Rate - Mean) * (Rate - Mean);
    EXPECT_NEAR(Fit.Throughputs[K].RelativeSd.value(), std::sqrt(Squares * 11 / 12), 1e-9);
    EXPECT_NEAR(Fit.RelativeCovariance[K][K], Squares * 11 / 12, 1e-9);
    for (std::size_t J = 0; J != K; ++J)
      EXPECT_EQ(Fit.RelativeCovariance[K][J], Fit.RelativeCovariance[J][K]);
  }
}

TEST(TimeFit, AWorkloadThatClassesDoNotExplainSpoilsNoOther) {
  Samples S = made(2, 0.01);
  for (Sample &Row : S.Rows)
    if (Row.Workload == "w7")
      Row.TimeS *= 50; // waits for something that nobody counted
  const TimeFit Fit = fitTime(S);
  EXPECT_LT(Fit.Workloads->Median, 0.03);
  EXPECT_GT(Fit.Workloads->Most, 0.9);
}

TEST(TimeFit, OfLittle) {
  Samples S = made(1);
  std::erase_if(S.Rows, [](const Sample &Row) { return Row.Workload != "w5"; });
  const TimeFit Fit = fitTime(S);
  EXPECT_EQ(Fit.Workloads, std::nullopt);
  EXPECT_TRUE(Fit.Settings);
  EXPECT_THAT(Fit.RelativeCovariance, IsEmpty());
  EXPECT_EQ(Fit.Throughputs.at(0).RelativeSd, std::nullopt);
  S.Rows.resize(1);
  const TimeFit Row = fitTime(S);
  EXPECT_NEAR(Row.Fitted.at(0), 0, 1e-9);
  EXPECT_EQ(Row.Settings, std::nullopt);
}

TEST(TimeFit, WithoutAMemoryClockNothingFollowsIt) {
  Samples S = made(2);
  std::erase_if(S.Rows, [](const Sample &Row) { return Row.Clocks.MemMhz != 1000; });
  for (Sample &Row : S.Rows)
    Row.Clocks.MemMhz = std::nullopt;
  const TimeFit Fit = fitTime(S);
  ASSERT_THAT(Fit.Throughputs, SizeIs(4));
  EXPECT_EQ(Fit.Throughputs[1].Clock, std::nullopt);
  EXPECT_NEAR(Fit.Throughputs[1].PerS, 200e9, 1e3);
}

TEST(FitErrors, ByHand) {
  const double Errors[] = {0.1, -0.1, std::nan(""), 0.3, 0.5};
  const std::size_t Workloads[] = {0, 0, 0, 1, 1};
  const FitErrors E = errorsOf(Errors, Workloads);
  EXPECT_EQ(E.Count, 4u);
  EXPECT_NEAR(E.Mean, 0.25, 1e-12); // of 0.1, 0.1, 0.3, 0.5
  EXPECT_NEAR(E.Median, 0.2, 1e-12);
  EXPECT_NEAR(E.Least, 0.1, 1e-12);
  EXPECT_NEAR(E.Most, 0.5, 1e-12);
  EXPECT_NEAR(E.Rms, std::sqrt((0.01 + 0.01 + 0.09 + 0.25) / 4), 1e-12);
  EXPECT_NEAR(E.Sd, std::sqrt(0.0275), 1e-12); // of 0.15, 0.15, 0.05, 0.25 from the mean
  EXPECT_NEAR(E.ChoiceRms, 0.1, 1e-12);        // each 0.1 from its workload's
}

TEST(FitErrors, OfOneWorkload) {
  // 0, 10, 20, 50 and 300 %: the 90th percentile is 3/5 of the way from 50 to 300.
  const FitErrors E = errorsOf(std::vector{3.0, -0.1, 0.0, -0.5, 0.2});
  EXPECT_EQ(E.Count, 5u);
  EXPECT_NEAR(E.Median, 0.2, 1e-12);
  EXPECT_NEAR(E.Percentile90, 2.0, 1e-12);
  EXPECT_NEAR(E.Most, 3.0, 1e-12);
  EXPECT_EQ(errorsOf(std::vector<double>{}).Count, 0u);
}
