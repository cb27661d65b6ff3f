//===- ClockPlanTest.cpp - a setting for each part of a program -----------===//
//
// Small plans worked out by hand, and the planner against all plans there are.
//
//===----------------------------------------------------------------------===//

#include "model/energy/ClockPlan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace ergon;
using testing::ElementsAre;

using Costs = std::vector<std::optional<TimeEnergy>>;

static double figureOf(const TimeEnergy &TE, Objective Goal) {
  const double T = TE.TimeS, E = TE.EnergyJ;
  return Goal == Objective::Energy ? E
         : Goal == Objective::Time ? T
         : Goal == Objective::Edp  ? E * T
                                   : E * T * T;
}

// The first phase is best at setting 0 (by 3 J), the second at setting 1 (by 2 J).
static const Costs First = {{{1, 10}}, {{2, 13}}}, Second = {{{1, 9}}, {{2, 7}}};

TEST(ClockPlan, SwitchesBetweenPhasesOnlyWhereItPays) {
  const std::vector<PlanPhase> Phases{{{1, First}}, {{1, Second}}};
  const auto Cheap = planClocks(Phases, {0.5, 1.9}, Objective::Energy);
  ASSERT_TRUE(Cheap);
  EXPECT_THAT(Cheap->Bases, ElementsAre(0, 1));
  EXPECT_EQ(Cheap->Switches, 1);
  EXPECT_DOUBLE_EQ(Cheap->Total.EnergyJ, 10 + 7 + 1.9);
  EXPECT_DOUBLE_EQ(Cheap->Total.TimeS, 1 + 2 + 0.5);
  const auto Dear = planClocks(Phases, {0.5, 2.1}, Objective::Energy);
  ASSERT_TRUE(Dear);
  EXPECT_THAT(Dear->Bases, ElementsAre(0, 0));
  EXPECT_EQ(Dear->Switches, 0);
  EXPECT_DOUBLE_EQ(Dear->Total.EnergyJ, 19);
  // 2 J, saved by one switch.
  const auto Free = planFreely(Phases, Objective::Energy);
  const auto Whole = planOneSetting(Phases, Objective::Energy);
  ASSERT_TRUE(Free && Whole);
  EXPECT_NEAR(breakEvenSwitch(*Free, *Whole, Objective::Energy), 2, 1e-6);
}

// The same two as kernels of one phase, 10 launches each in any order: at most 20 switches.
TEST(ClockPlan, PartsOfOnePhaseSwitchThereAndBackForEachLaunch) {
  const std::vector<PlanPhase> Phases{{{10, First}, {10, Second}}};
  EXPECT_EQ(planClocks(Phases, {0, 0.11}, Objective::Energy)->Switches, 0);
  const auto Cheap = planClocks(Phases, {0, 0.09}, Objective::Energy);
  EXPECT_EQ(Cheap->Switches, 20);
  EXPECT_THAT(Cheap->Settings[0], ElementsAre(0, 1));
  EXPECT_NEAR(Cheap->Total.EnergyJ, 17 + 1.8, 1e-12);
  // A part that is launched once is the one to switch for.
  const std::vector<PlanPhase> Uneven{{{1000, First}, {1, Second}}};
  EXPECT_EQ(planClocks(Uneven, {0, 0.9}, Objective::Energy)->Switches, 2);
  EXPECT_EQ(planClocks(Uneven, {0, 0.9}, Objective::Energy)->Bases[0], 0u);
}

TEST(ClockPlan, BreakEvenOfAProductIsWhereItIsEqual) {
  const std::vector<PlanPhase> Phases{{{1, {{{1, 10}}, {{1.2, 4}}}}}, {{1, {{{1, 1}}, {{1, 9}}}}}};
  for (Objective Goal : {Objective::Edp, Objective::Ed2p}) {
    const auto Free = planFreely(Phases, Goal);
    const auto Whole = planOneSetting(Phases, Goal);
    ASSERT_TRUE(Free && Whole);
    ASSERT_EQ(Free->Switches, 1) << name(Goal);
    const double Seconds = breakEvenSwitch(*Free, *Whole, Goal);
    const double PowerW = Free->Total.EnergyJ / Free->Total.TimeS;
    EXPECT_NEAR(
        figureOf({Free->Total.TimeS + Seconds, Free->Total.EnergyJ + PowerW * Seconds}, Goal) /
            figureOf(Whole->Total, Goal),
        1, 1e-6);
  }
}

TEST(ClockPlan, NothingIsWithinAnImpossibleLimit) {
  const std::vector<PlanPhase> Phases{{{1, First}}, {{1, Second}}};
  EXPECT_FALSE(planClocks(Phases, {1, 1}, Objective::Energy, 1.9));
  EXPECT_TRUE(planClocks(Phases, {1, 1}, Objective::Energy, 2));
  EXPECT_FALSE(planClocks(std::vector<PlanPhase>{{{1, {std::nullopt}}}}, {}, Objective::Time));
}

//===----------------------------------------------------------------------===//
// Against all plans
//===----------------------------------------------------------------------===//

namespace {
/// Every base for each phase and every setting for each part, one after the other.
struct AllPlans {
  const std::vector<PlanPhase> &Phases;
  TimeEnergy Switch;
  Objective Goal;
  double MaxTimeS, Best = INFINITY;

  void parts(std::size_t Phase, std::size_t Part, std::size_t Base, TimeEnergy Spent) {
    if (Part == Phases[Phase].size())
      return phase(Phase + 1, Base, Spent);
    const PlanPart &PP = Phases[Phase][Part];
    for (std::size_t S = 0; S != PP.CostAtSetting.size(); ++S)
      if (PP.CostAtSetting[S]) {
        if (S != Base && !PP.Launches)
          continue;
        const double Times = S == Base ? 0 : 2 * *PP.Launches;
        parts(Phase, Part + 1, Base,
              {Spent.TimeS + PP.CostAtSetting[S]->TimeS + Times * Switch.TimeS,
               Spent.EnergyJ + PP.CostAtSetting[S]->EnergyJ + Times * Switch.EnergyJ});
      }
  }
  void phase(std::size_t Phase, std::optional<std::size_t> Before, TimeEnergy Spent) {
    if (Phase == Phases.size()) {
      if (Spent.TimeS <= MaxTimeS)
        Best = std::min(Best, figureOf(Spent, Goal));
      return;
    }
    for (std::size_t Base = 0; Base != Phases[0][0].CostAtSetting.size(); ++Base) {
      const bool Switches = Before && *Before != Base;
      parts(Phase, 0, Base,
            {Spent.TimeS + (Switches ? Switch.TimeS : 0),
             Spent.EnergyJ + (Switches ? Switch.EnergyJ : 0)});
    }
  }
};
} // namespace

static std::vector<PlanPhase> randomPhases(std::mt19937 &Random) {
  auto Number = [&](int Most) { return 1 + int(Random() % Most); };
  const int NumSettings = Number(3) + 1;
  std::vector<PlanPhase> Phases(Number(3));
  for (PlanPhase &Phase : Phases)
    for (int Parts = Number(2); Parts-- > 0;) {
      PlanPart &Part = Phase.emplace_back();
      if (Number(5) == 1)
        Part.Launches.reset();
      else
        Part.Launches = Number(3);
      for (int S = 0; S != NumSettings; ++S)
        Part.CostAtSetting.push_back(
            Random() % 10 == 0 ? std::nullopt
                               : std::optional(TimeEnergy{Number(50) / 7.0, Number(50) / 7.0}));
    }
  return Phases;
}

TEST(ClockPlan, IsTheBestOfAllPlans) {
  std::mt19937 Random(7);
  int Limit = 0, Split = 0;
  for (int Round = 0; Round != 400; ++Round) {
    const auto Phases = randomPhases(Random);
    const TimeEnergy Switch{double(Random() % 4) / 9, double(Random() % 4) / 9};
    for (Objective Goal : {Objective::Energy, Objective::Edp, Objective::Ed2p, Objective::Time}) {
      AllPlans Free{Phases, Switch, Goal, INFINITY},
          Fast{Phases, Switch, Objective::Time, INFINITY};
      Free.phase(0, std::nullopt, {});
      Fast.phase(0, std::nullopt, {});
      const auto Plan = planClocks(Phases, Switch, Goal);
      ASSERT_EQ(Plan.has_value(), std::isfinite(Free.Best));
      if (!Plan)
        continue;
      EXPECT_NEAR(figureOf(Plan->Total, Goal) / Free.Best, 1, 1e-8) << Round << name(Goal);
      Split += Plan->Switches > 0;

      AllPlans Limited{Phases, Switch, Goal, Fast.Best * 1.2};
      Limited.phase(0, std::nullopt, {});
      const auto Short = planClocks(Phases, Switch, Goal, Limited.MaxTimeS);
      ASSERT_TRUE(Short) << Round << name(Goal);
      EXPECT_LE(Short->Total.TimeS, Limited.MaxTimeS * (1 + 1e-12));
      EXPECT_NEAR(figureOf(Short->Total, Goal) / Limited.Best, 1, 1e-8) << Round << name(Goal);
      EXPECT_EQ(Short->Gap, 0);
      Limit += Limited.Best > Free.Best * (1 + 1e-9);
    }
  }
  EXPECT_GT(Limit, 100); // the limit mattered
  EXPECT_GT(Split, 100);
}

/// Where the search within a limit is given up, a plan is there, and how far off it can be.
TEST(ClockPlan, ASearchThatIsTooLongGivesItsGap) {
  std::vector<PlanPhase> Phases(1);
  std::mt19937 Random(5);
  for (int Kernel = 0; Kernel != 14; ++Kernel) {
    PlanPart &Part = Phases[0].emplace_back();
    const double Memory = double(Random() % 100) / 100, Scale = 1 + Random() % 20;
    for (int S = 0; S != 200; ++S) {
      const double Clock = 1 - 0.003 * S;
      const double Seconds = std::max(Memory, (1 - Memory) / Clock) * Scale;
      Part.CostAtSetting.push_back(
          TimeEnergy{Seconds, Scale * (1 + Clock * Clock * 5) + 0.1 * Seconds});
    }
  }
  const double Limit = planOneSetting(Phases, Objective::Time)->Total.TimeS * 1.2;
  const auto Plan = planClocks(Phases, {1e-5, 1e-4}, Objective::Energy, Limit);
  ASSERT_TRUE(Plan);
  EXPECT_LE(Plan->Total.TimeS, Limit * (1 + 1e-9));
  EXPECT_LT(Plan->Gap, 0.05);
}

/// Twenty phases of eight settings: all plans would be 8^20.
TEST(ClockPlan, ManyPhasesWithinALimit) {
  std::mt19937 Random(3);
  std::vector<PlanPhase> Phases(20);
  for (PlanPhase &Phase : Phases) {
    PlanPart &Part = Phase.emplace_back();
    for (int S = 0; S != 8; ++S) {
      const double Clock = 1 - 0.08 * S, Memory = double(Random() % 100) / 100;
      Part.CostAtSetting.push_back(
          TimeEnergy{Memory + (1 - Memory) / Clock, 1 + Clock * Clock * 5 + 3 / Clock});
    }
  }
  const auto Fast = planClocks(Phases, {0.01, 0.1}, Objective::Time);
  const double Limit = Fast->Total.TimeS * 1.05;
  const auto Plan = planClocks(Phases, {0.01, 0.1}, Objective::Energy, Limit);
  const auto Whole = planOneSetting(Phases, Objective::Energy, Limit);
  ASSERT_TRUE(Plan && Whole);
  EXPECT_LE(Plan->Total.TimeS, Limit);
  EXPECT_LT(Plan->Total.EnergyJ, Whole->Total.EnergyJ);
  EXPECT_LT(Plan->Gap, 0.01);
}
