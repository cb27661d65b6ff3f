//===- TuningTest.cpp - which setting is best -----------------------------===//
//
// Machines small enough to work out by hand, and the front by comparing all pairs.
//
//===----------------------------------------------------------------------===//

#include "model/energy/Tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace ergon;
using testing::ElementsAre;

static Source source(std::variant<double, std::string> Uncertainty) {
  return {SourceKind::Measured, "a test", "2024", "", Uncertainty};
}

/// 1e9 flops take 1 J/V², and 1, 1.25 and 2 s at 1000, 800 and 500 MHz; 1, 0.9 and 0.8 V.
/// 1e9 bytes take 1 s and 0.5 J at any of them. Two watts are drawn all the time.
static Machine machine(std::variant<double, std::string> Uncertainty = 0.0) {
  Machine M;
  M.Sources["s"] = source(Uncertainty);
  M.Settings = {{500, {}, 800, {}, "s"}, {800, {}, 900, {}, "s"}, {1000, {}, 1000, {}, "s"}};
  M.Default = 2;
  M.Timing.Throughputs["flops_f64"] = {{1e9, "s"}, Domain::Core, 1000};
  M.Timing.Throughputs["bytes_dram"] = {{1e9, "s"}, std::nullopt, 0};
  M.Power.Energies["flops_f64"] = {{1e-9, "s"}, Domain::Core};
  M.Power.Energies["bytes_dram"] = {{0.5e-9, "s"}, std::nullopt};
  M.Power.Constant.MiscW = Quantity{2, "s"};
  return M;
}

static const std::vector<std::string> Classes{"bytes_dram", "flops_f64"};

static Piece piece(double Bytes, double Flops, double LeastBytes) {
  Piece Result;
  Result.Amounts = Result.Most = {Bytes, Flops};
  Result.Least = {LeastBytes, Flops};
  return Result;
}
static Piece piece(double Bytes, double Flops) { return piece(Bytes, Flops, Bytes); }

namespace {
struct Tuned {
  PreparedMachine Prepared;
  Tuning Subject;
  Tuned(const Machine &M, Piece Work, const Limits &L = {})
      : Prepared(M, M.Settings, Classes), Subject(Prepared, {{std::move(Work)}}, L) {}
};
} // namespace

// Flops alone, E = V² + 2·T: 0.64 + 4, 0.81 + 2.5, 1 + 2 J. Racing is right.
TEST(Tuning, RaceToHaltIsRightWhereConstantPowerRules) {
  const Tuned T(machine(), piece(0, 1e9));
  EXPECT_DOUBLE_EQ(T.Subject.Options[0].EnergyJ, 4.64);
  EXPECT_DOUBLE_EQ(T.Subject.Options[1].EnergyJ, 3.31);
  EXPECT_DOUBLE_EQ(T.Subject.Options[2].EnergyJ, 3);
  EXPECT_EQ(T.Subject.Fastest, 2u);
  for (Objective Goal : {Objective::Energy, Objective::Edp, Objective::Ed2p, Objective::Time})
    EXPECT_EQ(T.Subject.choose(Goal)->Best, 2u);
  const auto Energy = T.Subject.choose(Objective::Energy);
  EXPECT_EQ(Energy->Second, 1u);
  EXPECT_NEAR(Energy->Ahead, 0.31 / 3, 1e-12);
  EXPECT_EQ(Energy->isCertain(), true);
}

// As much traffic as takes 1.25 s: E = V² + 0.625 + 2·T with T = 2, 1.25, 1.25 s.
TEST(Tuning, TheMemoryBoundSlowDownAtNoLossOfTime) {
  const Tuned T(machine(), piece(1.25e9, 1e9));
  EXPECT_EQ(T.Subject.Fastest, 2u); // of two equal times that of the higher clock
  EXPECT_EQ(T.Subject.choose(Objective::Energy)->Best, 1u);
  EXPECT_EQ(T.Subject.choose(Objective::Time)->Best, 1u); // of two equal times that of less energy
  EXPECT_NEAR(T.Subject.choose(Objective::Energy)->Ahead, 0.19 / (0.81 + 0.625 + 2.5), 1e-12);
}

// With 0.1 W of constant power slowing down pays: V² + 0.1·T is 0.84, 0.935, 1.1 J.
TEST(Tuning, Limits) {
  Machine M = machine();
  M.Power.Constant.MiscW->Value = 0.1;
  const Piece Flops = piece(0, 1e9);
  EXPECT_EQ(Tuned(M, Flops).Subject.choose(Objective::Energy)->Best, 0u);
  EXPECT_EQ(Tuned(M, Flops, {0.3, {}}).Subject.choose(Objective::Energy)->Best, 1u);
  EXPECT_EQ(Tuned(M, Flops, {0.25, {}}).Subject.choose(Objective::Energy)->Best, 1u);
  EXPECT_EQ(Tuned(M, Flops, {0.2, {}}).Subject.choose(Objective::Energy)->Best, 2u);
  // 0.42, 0.748 and 1.1 W.
  EXPECT_EQ(Tuned(M, Flops, {{}, 1.0}).Subject.choose(Objective::Time)->Best, 1u);
  EXPECT_EQ(Tuned(M, Flops, {{}, 0.5}).Subject.choose(Objective::Time)->Best, 0u);
  const Tuned None(M, Flops, {{}, 0.4});
  EXPECT_FALSE(None.Subject.choose(Objective::Time));
  EXPECT_EQ(None.Subject.leastPower(), 0u);
  EXPECT_NEAR(None.Subject.Options[0].PeakW, 0.42, 1e-12);
  // E·T: 1.68, 1.16875, 1.1; E·T²: the fastest too.
  EXPECT_EQ(Tuned(M, Flops).Subject.choose(Objective::Edp)->Best, 2u);
}

// What the machine's own cap slows to 2.3 W keeps to a limit of 2.3 W, whatever the rounding.
TEST(Tuning, TheMachinesOwnCapIsWithinTheSameLimit) {
  Machine M = machine();
  for (double Watts : {2.3, 2.1, 2.7, 2.0001}) {
    M.Power.Cap = Quantity{Watts, "s"};
    const Tuned T(M, piece(1e8, 1e9), {{}, Watts});
    for (const Option &O : T.Subject.Options)
      EXPECT_TRUE(O.IsAllowed) << Watts << " " << O.PeakW;
  }
}

TEST(Tuning, OneSettingIsTheBest) {
  Machine M = machine();
  M.Settings.resize(1);
  M.Default = 0;
  const Tuned T(M, piece(0, 1e9));
  const auto Best = T.Subject.choose(Objective::Energy);
  ASSERT_TRUE(Best);
  EXPECT_EQ(Best->Best, 0u);
  EXPECT_FALSE(Best->Second);
  EXPECT_TRUE(T.Subject.Options[0].IsOnFront);
}

// The two pieces of a run: 1 J in 1 s (with 2 W: 3 W) and 0.625 J in 1.25 s (2.5 W).
TEST(Tuning, APowerCapHoldsForEachPiece) {
  const Machine M = machine();
  const PreparedMachine Prepared(M, M.Settings, Classes);
  const std::vector<std::vector<Piece>> Pieces{{piece(0, 1e9), piece(1.25e9, 0)}};
  const Tuning T(Prepared, Pieces, {{}, 2.9});
  EXPECT_DOUBLE_EQ(T.Options[2].PeakW, 3);
  EXPECT_DOUBLE_EQ(T.Options[2].EnergyJ / T.Options[2].TimeS, 6.125 / 2.25);
  EXPECT_FALSE(T.Options[2].IsAllowed);
  EXPECT_TRUE(T.Options[1].IsAllowed); // 0.81/1.25 + 2 W
}

// Table IV of the 2013 paper: B_τ = 1.03 and an effective energy balance of 0.79 for double
// precision on the GTX 580, because of its constant power: race to halt (fig. 4). Without
// constant power B_ε = 2.42 is above B_τ.
TEST(Tuning, RacingIsFavouredWhereTimeBalanceIsAboveEnergyBalance) {
  Machine M;
  M.Timing.Throughputs["flops_f64"] = {{197.63e9, "t"}, std::nullopt, 0};
  M.Timing.Throughputs["bytes_dram"] = {{192.4e9, "t"}, std::nullopt, 0};
  M.Power.Energies["flops_f64"] = {{212e-12, "t"}, std::nullopt};
  M.Power.Energies["bytes_dram"] = {{513e-12, "t"}, std::nullopt};
  M.Power.Constant.MiscW = Quantity{122, "t"};
  const Piece Work = piece(1e9, 4e9);
  const auto B = balanceOf(M, M.defaultSetting(), Classes, std::span(&Work, 1));
  ASSERT_TRUE(B);
  EXPECT_EQ(B->Class, "flops_f64");
  EXPECT_DOUBLE_EQ(B->Intensity, 4);
  EXPECT_NEAR(B->Time, 1.027, 1e-3);
  EXPECT_NEAR(B->EnergyPoint, 0.79, 5e-3);
  EXPECT_TRUE(B->favoursRacing());
  M.Power.Constant.MiscW->Value = 0;
  const auto Balance = balanceOf(M, M.defaultSetting(), Classes, std::span(&Work, 1));
  EXPECT_NEAR(Balance->EnergyPoint, 2.42, 5e-3);
  EXPECT_FALSE(Balance->favoursRacing());
  const Piece Copy = piece(1e9, 0);
  EXPECT_FALSE(balanceOf(M, M.defaultSetting(), Classes, std::span(&Copy, 1)));
}

//===----------------------------------------------------------------------===//
// How certain a choice is
//===----------------------------------------------------------------------===//

TEST(Tuning, WhatIsNotStatedLeavesAChoiceOpen) {
  const Tuned T(machine("no word"), piece(0, 1e9));
  const auto Best = T.Subject.choose(Objective::Energy);
  EXPECT_EQ(Best->isCertain(), std::nullopt);
  EXPECT_THAT(Best->ErrorNotStated,
              ElementsAre("constant_power.misc_w", "energy.flops_f64", "throughput.flops_f64"));
  EXPECT_THAT(T.Subject.choose(Objective::Time)->ErrorNotStated,
              ElementsAre("throughput.flops_f64"));
}

// 3.31 J against 3 J: flops are 0.81 and 1 of it, constant power the rest. A relative error u
// of each of ε, π0 and the rate gives ln(3.31/3) an error of u·|0.81/3.31 - 1/3|·√3 = 0.1535·u.
// 1.96 of it reach ln(3.31/3) = 0.0983 from u = 0.327 on.
TEST(Tuning, ARivalIsWithinTheError) {
  EXPECT_EQ(Tuned(machine(0.32), piece(0, 1e9)).Subject.choose(Objective::Energy)->isCertain(),
            true);
  const auto Open = Tuned(machine(0.335), piece(0, 1e9)).Subject.choose(Objective::Energy);
  EXPECT_EQ(Open->isCertain(), false);
  ASSERT_EQ(Open->Rivals.size(), 1u);
  EXPECT_EQ(Open->Rivals[0].Option, 1u);
  EXPECT_NEAR(Open->Rivals[0].Worse, 0.31 / 3, 1e-12);
  EXPECT_NEAR(Open->Rivals[0].Error, 0.335 * 0.1535, 1e-4);
  EXPECT_FALSE(Open->Rivals[0].ByCounts);
  // All times have the same rate behind them.
  EXPECT_EQ(Tuned(machine(0.335), piece(0, 1e9)).Subject.choose(Objective::Time)->isCertain(),
            true);
}

// Of the memory-bound run that chooses 800 MHz nothing may come from memory at all: then
// 1000 MHz has 3 J, and 800 MHz 3.31.
TEST(Tuning, CountsThatMayBeLessLeaveAChoiceOpen) {
  const auto Open = Tuned(machine(), piece(1.25e9, 1e9, 0)).Subject.choose(Objective::Energy);
  EXPECT_EQ(Open->Best, 1u);
  ASSERT_EQ(Open->Rivals.size(), 1u);
  EXPECT_EQ(Open->Rivals[0].Option, 2u);
  EXPECT_TRUE(Open->Rivals[0].ByCounts);
  EXPECT_EQ(Open->isCertain(), false);
  // Nothing is better at either end, but in between, at 1 s of traffic, T = 1.25 and 1 s:
  // 0.81 + 2.5 against 1 + 2 J again. Least at 1.24e9 bytes is still memory-bound at 1000 MHz.
  EXPECT_EQ(
      Tuned(machine(), piece(1.25e9, 1e9, 1.24e9)).Subject.choose(Objective::Energy)->isCertain(),
      true);
}

//===----------------------------------------------------------------------===//
// Measured runs
//===----------------------------------------------------------------------===//

// Flops alone took 2 s, 1 of which the model has, and 8 J, 1 + 2·2 by the model: at 500 MHz
// 2 + 1·2 s, and 8/5 of 0.64 + 2·4 J. What memory may have moved makes no difference to that.
TEST(Tuning, AMeasuredRunCorrectsAllSettings) {
  const Machine M = machine();
  PreparedMachine Prepared(M, M.Settings, Classes);
  const Piece Work = piece(1e8, 1e9, 0);
  ASSERT_TRUE(Prepared.know({{M.Settings[2], 2, 8.08, ""}},
                            std::vector{Work})); // and 0.05 J, of 5.05, for bytes
  const Tuning T(Prepared, {{Work}}, {});
  EXPECT_NEAR(T.Options[2].TimeS, 2, 0.01);
  EXPECT_NEAR(T.Options[2].EnergyJ, 8.08, 0.04);
  EXPECT_NEAR(T.Options[0].TimeS, 4, 0.02);
  EXPECT_NEAR(T.Options[0].EnergyJ, 1.6 * 8.69, 0.07);
  const CostIntervals Measured = T.cost(T.Options[2]), Other = T.cost(T.Options[0]);
  EXPECT_LT(Measured.TimeS.High / Measured.TimeS.Low, 1.07);
  EXPECT_GT(Other.TimeS.High / Other.TimeS.Low, 1.3);
}

// Flops alone would be run at 1000 MHz, 3 J, and not at 500, 4.64 J, 1.547 of it. Where programs
// need a tenth there in the mean: 0.1^(1 - w)·1.547^w is below 1 up to a weight of the model of
// 0.84.
TEST(Tuning, WhatProgramsNeedInTheMeanChoosesToo) {
  Machine M = machine();
  M.Fit.Quality.emplace();
  M.Fit.Quality->Typical.emplace().Settings = {{M.Settings[2], 0}, {M.Settings[0], std::log(0.1)}};
  // Nothing is known of how well either chooses.
  EXPECT_EQ(Tuned(M, piece(0, 1e9)).Subject.choose(Objective::Energy)->Best, 2u);
  ChoiceLosses &Losses = M.Fit.Quality->Losses.emplace();
  Losses.ByRuns[0].ModelWeight = 0.83;
  const auto Chosen = Tuned(M, piece(0, 1e9)).Subject.choose(Objective::Energy);
  EXPECT_EQ(Chosen->Best, 0u);
  EXPECT_EQ(Chosen->ByModel, 2u);
  EXPECT_NEAR(Chosen->Ahead, 1 / (std::pow(0.1, 0.17) * std::pow(4.64 / 3, 0.83)) - 1, 1e-9);
  EXPECT_EQ(Tuned(M, piece(0, 1e9)).Subject.choose(Objective::Time)->Best, 2u);
  Losses.ByRuns[0].ModelWeight = 0.85;
  EXPECT_EQ(Tuned(M, piece(0, 1e9)).Subject.choose(Objective::Energy)->Best, 2u);
}

//===----------------------------------------------------------------------===//
// The front
//===----------------------------------------------------------------------===//

TEST(Tuning, FrontIsWhatNoOtherBeats) {
  std::mt19937 Random(11);
  for (int Round = 0; Round != 300; ++Round) {
    std::vector<Option> Options;
    for (int Count = 1 + Random() % 30; Count-- > 0;)
      Options.push_back({0, 0, double(Random() % 12), double(Random() % 12), 0, 0});
    markFront(Options);
    for (const Option &O : Options) {
      const bool IsBeaten = std::ranges::any_of(Options, [&](const Option &Other) {
        return Other.TimeS <= O.TimeS && Other.EnergyJ <= O.EnergyJ &&
               (Other.TimeS < O.TimeS || Other.EnergyJ < O.EnergyJ);
      });
      EXPECT_EQ(O.IsOnFront, !IsBeaten);
    }
  }
}
