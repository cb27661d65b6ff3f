//===- MeasuredScalingTest.cpp - scaling learned from measured runs -------===//
//
// Programs whose time and energy follow a known law, and measured ones: EP, BT and SP on a
// ThunderX (Loghin and Teo, "The Time and Energy Efficiency of Modern Multicore Systems", Parallel
// Computing 86, 2019; data under CC BY 4.0).
//
//===----------------------------------------------------------------------===//

#include "model/cluster/MeasuredScaling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace ergon;

static constexpr double OneNode = std::numeric_limits<double>::infinity();

/// A tenth of 100 s is sequential; a node draws 50 W, a processor at work 5 W more.
static ScalingRun amdahl(double P, double Nodes = 1) {
  const double TimeS = 10 + 90 / P;
  return {.Workload = "a",
          .P = P,
          .Nodes = Nodes,
          .Mhz = {},
          .TimeS = TimeS,
          .EnergyJ = 50 * Nodes * TimeS + 5 * 100};
}

static double efficiency(double P) { return *amdahl(1).EnergyJ / *amdahl(P).EnergyJ; }

static void expectInside(const UncertainAmount &Amount, double Value) {
  EXPECT_LE(Amount.low(), Value);
  EXPECT_GE(Amount.high(), Value);
}

TEST(MeasuredScaling, MeetsTheRunsThatItKnows) {
  const MeasuredScaling Model({amdahl(1), amdahl(2), amdahl(4), amdahl(8)}, OneNode);
  for (const double P : {2.0, 4.0, 8.0}) {
    const auto Run = Model.at({"a"}, {P, 1});
    ASSERT_TRUE(Run && Run->Efficiency);
    EXPECT_NEAR(Run->Efficiency->Value / efficiency(P), 1, 0.02) << P;
    EXPECT_NEAR(Run->TimeS.Value / amdahl(P).TimeS, 1, 0.01) << P;
  }
  const auto First = Model.at({"a"}, {});
  ASSERT_TRUE(First && First->Efficiency);
  EXPECT_DOUBLE_EQ(First->Efficiency->Value, 1);
  EXPECT_DOUBLE_EQ(First->Efficiency->Error, 0);
}

/// Between runs closely, beyond them in the interval, which grows.
TEST(MeasuredScaling, KnowsHowSureItIs) {
  const MeasuredScaling Model({amdahl(1), amdahl(2), amdahl(4), amdahl(16)}, OneNode);
  double Before = 0;
  for (const double P : {8.0, 32.0, 64.0, 128.0}) {
    const auto Run = Model.at({"a"}, {P, 1});
    ASSERT_TRUE(Run && Run->Efficiency);
    expectInside(*Run->Efficiency, efficiency(P));
    expectInside(Run->TimeS, amdahl(P).TimeS);
    expectInside(*Run->EnergyJ, *amdahl(P).EnergyJ);
    EXPECT_GT(Run->Efficiency->Error, Before);
    Before = Run->Efficiency->Error;
  }
  EXPECT_NEAR(Model.at({"a"}, {8, 1})->Efficiency->Value / efficiency(8), 1, 0.05);
}

TEST(MeasuredScaling, FurtherRunsNarrow) {
  double Before = std::numeric_limits<double>::infinity();
  ScalingRuns Runs;
  for (const double P : {1.0, 2.0, 4.0, 8.0}) {
    Runs.push_back(amdahl(P));
    const auto Run = MeasuredScaling(Runs, OneNode).at({"a"}, {32, 1});
    ASSERT_TRUE(Run && Run->Efficiency);
    EXPECT_LT(Run->Efficiency->Error, Before) << P;
    Before = Run->Efficiency->Error;
  }
}

/// What a memory does to processors of a node is not what a network does to nodes: the nodes of a
/// program that scales perfectly over them are taken to go on so, however full each is.
TEST(MeasuredScaling, TellsNodesFromTheirProcessors) {
  ScalingRuns Runs;
  auto Add = [&](double Cores, double Nodes) {
    const double TimeS = 100 / Nodes / std::min(Cores, 4.0);
    Runs.push_back({.Workload = "a",
                    .P = Cores * Nodes,
                    .Nodes = Nodes,
                    .Mhz = {},
                    .TimeS = TimeS,
                    .EnergyJ = Nodes * TimeS * 100});
  };
  for (const double Cores : {1.0, 2.0, 4.0, 8.0, 16.0})
    Add(Cores, 1);
  for (const double Nodes : {2.0, 4.0})
    Add(16, Nodes);
  const MeasuredScaling Model(Runs, 16);
  EXPECT_NEAR(Model.at({"a"}, processorsOf(128, 16))->TimeS.Value / (100 / 8.0 / 4), 1, 0.1);
  EXPECT_NEAR(Model.at({"a"}, processorsOf(8, 16))->TimeS.Value / 25, 1, 0.05);
}

/// Another program of the table has the same bend at eight processors, where two share a core.
TEST(MeasuredScaling, ProgramsTellOfEachOther) {
  ScalingRuns Runs;
  auto Time = [](double P) { return 100 / std::min(P, 8.0); };
  auto Add = [&](const char *Workload, double Scale, double P) {
    Runs.push_back({.Workload = Workload,
                    .P = P,
                    .Nodes = {},
                    .Mhz = {},
                    .TimeS = Scale * Time(P),
                    .EnergyJ = {}});
  };
  for (const double P : {1.0, 2.0, 4.0, 8.0})
    Add("a", 1, P);
  const auto Alone = MeasuredScaling(Runs, OneNode).at({"a"}, {16, 1});
  for (const char *Other : {"b", "c", "d"})
    for (const double P : {1.0, 2.0, 4.0, 8.0, 16.0})
      Add(Other, 3, P);
  const auto Beside = MeasuredScaling(Runs, OneNode).at({"a"}, {16, 1});
  ASSERT_TRUE(Alone && Beside);
  EXPECT_LT(std::abs(Beside->TimeS.Value / Time(16) - 1),
            std::abs(Alone->TimeS.Value / Time(16) - 1));
  EXPECT_FALSE(Beside->Efficiency);
}

/// A law that is known beforehand is followed where no run says otherwise.
TEST(MeasuredScaling, TakesALaw) {
  const MeasuredScaling::TimeLaw Law = [](const ScalingSeries &, double P) {
    return std::log(1 + 0.05 * (P - 1));
  };
  const auto Run = MeasuredScaling({amdahl(1)}, OneNode, Law).at({"a"}, {64, 1});
  ASSERT_TRUE(Run);
  EXPECT_NEAR(Run->TimeEfficiency.Value, 1 / (1 + 0.05 * 63), 1e-6);
}

TEST(MeasuredScaling, RunsThatDisagreeAreLessSure) {
  ScalingRuns Runs;
  for (const double P : {1.0, 2.0, 4.0, 8.0})
    for (const double Factor : {0.8, 1.0, 1.25}) {
      Runs.push_back(amdahl(P));
      Runs.back().TimeS *= Factor;
      Runs.back().EnergyJ.reset();
    }
  const MeasuredScaling Model(Runs, OneNode);
  EXPECT_GE(Model.noise().Time, 8);
  EXPECT_GT(Model.at({"a"}, {4, 1})->TimeS.Error, 0.05);
  EXPECT_FALSE(Model.at({"b"}, {4, 1}));
}

TEST(MeasuredScaling, LeavesOutWhatWasMeasured) {
  static constexpr double P[] = {1, 2, 4, 8, 16, 32, 48};
  static constexpr struct {
    const char *Name;
    double TimeS[7], EnergyJ[7];
  } Measured[] = {{"bt",
                   {5440.1, 2743.32, 1406.65, 717.17, 364.35, 189.26, 157.39},
                   {692608.29, 352334.77, 184778.00, 98497.77, 54737.64, 32054.25, 27248.86}},
                  {"ep",
                   {628.51, 314.27, 157.19, 78.57, 40.07, 21.09, 14.18},
                   {79171.23, 39806.05, 20128.22, 10414.62, 5577.71, 3246.86, 2170.81}},
                  {"sp",
                   {5002.29, 2550.62, 1399.17, 831.75, 467.96, 284.6, 258.58},
                   {633615.83, 327384.71, 184888.87, 116409.88, 70554.78, 45779.40, 41410.45}}};
  ScalingRuns Runs;
  for (const auto &[Name, TimeS, EnergyJ] : Measured)
    for (std::size_t I = 0; I != std::size(P); ++I)
      Runs.push_back({.Workload = Name,
                      .P = P[I],
                      .Nodes = {},
                      .Mhz = 1730,
                      .TimeS = TimeS[I],
                      .EnergyJ = EnergyJ[I]});
  const auto LeftOut = leaveOutProcessors(Runs, OneNode);
  ASSERT_EQ(LeftOut.size(), 18);
  // Of powers of two the last p is an extrapolation: what is within 10 % of all is most of it.
  std::size_t Inside = 0, Close = 0;
  for (const LeftOutRun &Case : LeftOut) {
    EXPECT_LT(std::abs(Case.error()), 0.25) << Case.Series.Workload << " " << Case.On.P;
    Close += std::abs(Case.error()) < 0.1;
    Inside += Case.isInside();
  }
  EXPECT_GE(Close, 16);
  EXPECT_GE(Inside, 16);
}

/// Whatever is in a table, there is an answer or a reason.
TEST(MeasuredScaling, FarApartRunsAreAnswered) {
  ScalingRuns Runs;
  for (const double P : {1.0, 2.0, 1e9, 1e15}) {
    Runs.push_back(amdahl(P));
    Runs.back().TimeS = P > 1 ? 1e-12 : 1e15;
    Runs.back().EnergyJ = P > 1 ? 1e15 : 1e-12;
  }
  for (const double P : {1.0, 2.0, 1e12}) {
    const auto Run = MeasuredScaling(Runs, OneNode).at({"a"}, {P, 1});
    if (Run)
      EXPECT_TRUE(Run->TimeS.Value > 0);
    else
      EXPECT_FALSE(Run.error().Why.empty());
  }
}

TEST(MeasuredScaling, ManyRunsOfOthersAreThinnedOut) {
  ScalingRuns Runs;
  for (double P = 1; P <= 300; ++P) {
    Runs.push_back(amdahl(P));
    Runs.back().Workload = "others";
  }
  Runs.push_back(amdahl(1));
  const ScalingRuns Chosen = runsFor("a", Runs);
  EXPECT_EQ(Chosen.size(), 101);
  EXPECT_EQ(Chosen.back().Workload, "a");
  EXPECT_EQ(runsFor("others", Runs).size(), 301);
}
