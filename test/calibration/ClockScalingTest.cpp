//===- ClockScalingTest.cpp - rates and prices at several clocks ----------===//
//
// A made-up machine: what its times and joules are at each clock is written down here, and the
// profile has to say it again.
//
//===----------------------------------------------------------------------===//

#include "calibration/ClockScaling.h"
#include "calibration/EnergyCampaign.h"
#include "formats/profile/ProfileFormat.h"
#include "model/machine/PipelineClock.h"
#include "test/support/ProbedMachines.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace ergon;
using testing::DoubleNear;
using testing::SizeIs;

namespace {
const ProbeTable &table() {
  static const ProbeTable Result = probesFor(twoCores());
  return Result;
}

/// A step of a probe takes so many cycles, and then so many ns at any clock.
struct Step {
  const char *Name;
  double Cycles, Ns;
};
AtClock measuredAt(double CoreMhz, std::initializer_list<Step> Steps) {
  AtClock Result{CoreMhz, {}};
  for (const Step &Element : Steps) {
    const auto Position = std::ranges::find(table().Probes, Element.Name, &Probe::Name);
    EXPECT_NE(Position, table().Probes.end()) << Element.Name;
    const double S = (Element.Cycles / CoreMhz * 1e-6 + Element.Ns * 1e-9) *
                     double(Position->steps() * Position->Code->Operations);
    Result.Measurements.push_back({&*Position, {S, S / 1.01, S * 1.01, 10, 0}});
  }
  return Result;
}

Machine described(const std::vector<AtClock> &All) {
  Machine M;
  M.Name = "m";
  M.Description = "made up";
  M.Sources["c"] = {SourceKind::Measured, "made up", "2026", "", std::string("none")};
  fillMachine(M, All[0].Measurements, {}, {All[0].CoreMhz * 1e6}, 64, "c");
  std::vector<double> Mhz;
  for (const AtClock &Clock : All)
    Mhz.push_back(Clock.CoreMhz);
  describeClocks(M, Mhz, clockScalings(All, 64), "c");
  return M;
}
} // namespace

TEST(ClockScaling, RatesFollowTheClockOrDoNot) {
  std::vector<AtClock> All;
  for (double Mhz : {3000, 2000, 1000})
    All.push_back(measuredAt(Mhz, {{"add-f64-64-1thread", 0.5, 0},
                                   {"add-f64-64-chain-1thread", 4, 0},
                                   {"load-f64-64-l1-1thread", 0.5, 0},
                                   {"load-f64-64-l3-1thread", 2, 0.1},
                                   {"load-f64-64-dram-1thread", 0, 1},
                                   {"follow-i64-64-chain-l3-1thread", 30, 10},
                                   {"follow-i64-64-chain-dram-1thread", 0, 90}}));
  const std::vector<ClockScaling> Scalings = clockScalings(All, 64);
  auto ScalingOf = [&](const char *Class) {
    return *std::ranges::find(Scalings, Class, &ClockScaling::Class);
  };
  EXPECT_TRUE(ScalingOf("flops_f64").ScalesWithCoreClock);
  EXPECT_THAT(*ScalingOf("flops_f64").Error, DoubleNear(0, 1e-9));
  EXPECT_FALSE(ScalingOf("bytes_dram").ScalesWithCoreClock);
  EXPECT_THAT(*ScalingOf("bytes_dram").Error, DoubleNear(0, 1e-9));
  // L3: 0.7667, 1.1 and 2.1 ns; three times and 1.5 times the first would be 1.15 and 2.3: ln is
  // off 0.04445 and 0.09097.
  EXPECT_TRUE(ScalingOf("bytes_l3").ScalesWithCoreClock);
  EXPECT_THAT(*ScalingOf("bytes_l3").Error,
              DoubleNear(std::hypot(0.04445, 0.09097) / std::sqrt(2), 1e-4));

  const Machine M = described(All);
  ASSERT_THAT(M.Settings, SizeIs(3));
  EXPECT_EQ(M.defaultSetting().CoreMhz, 3000);
  const Setting &Slow = M.Settings[2];
  EXPECT_THAT(*M.timePerUnit("flops_f64", Slow), DoubleNear(0.5e-9, 1e-15));
  EXPECT_THAT(*M.timePerUnit("bytes_dram", Slow), DoubleNear(1e-9 / 8, 1e-15));
  // The rate of L3 is no surer than its scaling.
  const Covariance &Errors = *M.Fit.Quality->JointCovariance;
  const auto Found = std::ranges::find(Errors.Coefficients, "throughput.bytes_l3");
  const std::size_t K = Found - Errors.Coefficients.begin();
  EXPECT_GT(Errors.Relative[K][K], std::pow(*ScalingOf("bytes_l3").Error, 2));
  // The profile can be read.
  const auto Again = parseProfile(writeProfile(M));
  ASSERT_TRUE(Again) << Again.error().line();
  EXPECT_EQ(Again->Timing.Throughputs.at("flops_f64").Clock, Domain::Core);
  EXPECT_FALSE(Again->Timing.Throughputs.at("bytes_dram").Clock);
}

/// The same probes are compared: two threads do twice as much, and were measured at one clock
/// alone.
TEST(ClockScaling, ARateThatOneClockAloneHas) {
  const std::vector<AtClock> All = {measuredAt(3000, {{"add-f64-64-1thread", 0.5, 0},
                                                      {"add-f64-64-2threads", 0.5, 0},
                                                      {"load-f64-64-dram-1thread", 0, 1}}),
                                    measuredAt(1000, {{"add-f64-64-1thread", 0.5, 0}})};
  const std::vector<ClockScaling> Scalings = clockScalings(All, 64);
  ASSERT_THAT(Scalings, testing::Not(testing::IsEmpty()));
  for (const ClockScaling &Scaling : Scalings)
    if (Scaling.Class == "flops_f64")
      EXPECT_THAT(Scaling.Error.value_or(1), DoubleNear(0, 1e-9));
    else
      EXPECT_FALSE(Scaling.Error) << Scaling.Class;
}

/// At a third of the clock what is in the core takes three times as long, L3 too, and memory as
/// long as before.
TEST(ClockScaling, ACoreAtAnotherClock) {
  std::vector<AtClock> All;
  for (double Mhz : {3000, 1000})
    All.push_back(measuredAt(Mhz, {{"add-f64-64-1thread", 0.5, 0},
                                   {"add-f64-64-chain-1thread", 4, 0},
                                   {"issue-i64-64-1thread", 0.25, 0},
                                   {"translate-f64-64-4096pages-1thread", 9, 0},
                                   {"load-f64-64-l3-1thread", 2, 0},
                                   {"load-f64-64-dram-1thread", 0, 1},
                                   {"follow-i64-64-chain-l3-1thread", 30, 0},
                                   {"follow-i64-64-chain-dram-1thread", 0, 90}}));
  const Machine M = described(All);
  const Pipeline Fast = pipelineAt(M, M.Settings[0]), Slow = pipelineAt(M, M.Settings[1]);
  EXPECT_EQ(Fast.Operations[0].LatencyS->Median.Value,
            M.Timing.InCore->Operations[0].LatencyS->Median.Value);
  EXPECT_THAT(Slow.CoreHz->Median.Value, DoubleNear(1e9, 1));
  EXPECT_THAT(Slow.IssuePerS->Median.Value, DoubleNear(4e9, 10));
  EXPECT_THAT(Slow.Operations[0].LatencyS->Median.Value, DoubleNear(4e-9, 1e-15));
  EXPECT_THAT(Slow.Operations[0].LatencyS->High, DoubleNear(4e-9 * 1.01, 1e-15));
  EXPECT_THAT(Slow.Operations[0].PerS->Median.Value, DoubleNear(2e9, 10));
  EXPECT_THAT(Slow.Translations[0].LoadS.Median.Value, DoubleNear(9e-9, 1e-15));
  auto Function = [](const auto &List, const char *Level) {
    return *std::ranges::find_if(List, [&](auto &Item) { return Item.Level == Level; });
  };
  EXPECT_THAT(Function(Slow.Streams, "l3").BytesPerS.Median.Value, DoubleNear(4e9, 10));
  EXPECT_THAT(Function(Slow.Streams, "dram").BytesPerS.Median.Value, DoubleNear(8e9, 10));
  EXPECT_THAT(Function(Slow.Latencies, "l3").LatencyS.Median.Value, DoubleNear(30e-9, 1e-15));
  EXPECT_THAT(Function(Slow.Latencies, "dram").LatencyS.Median.Value, DoubleNear(90e-9, 1e-15));
}

namespace {
// The machine of Choi and Vuduc 2016: ĉ·V² for a unit (eq. 6), but of memory, which has a voltage
// of its own; π0 = P_misc + c1·V (eq. 8), and clocks that run. V is 1 up to 1500 MHz.
constexpr double MiscW = 5, CoreWPerV = 4, CoreWPerMhzV2 = 2e-3;
double voltsAt(double Mhz) { return 1 + 2e-4 * std::max(0.0, Mhz - 1500); }
struct Price {
  double J, PerCycle, PerS; ///< one of the two rates
};
const std::map<std::string, Price> &prices() {
  static const std::map<std::string, Price> Result = {
      {"flops_f32", {5e-12, 20, 0}},   {"flops_f64", {1e-11, 10, 0}},
      {"int_ops", {8e-12, 10, 0}},     {"bytes_l1", {1.5e-12, 60, 0}},
      {"bytes_l2", {4e-12, 30, 0}},    {"bytes_l3", {1.5e-11, 20, 0}},
      {"bytes_dram", {6e-11, 0, 2e10}}};
  return Result;
}

/// A sample of that machine, with errors of 1 %.
EnergySample sampleAt(double Mhz, const Probe &P, std::uint64_t Iterations, std::mt19937 &Random) {
  auto About = [&](double Value, double Sd) {
    return Value * (1 + std::normal_distribution(0.0, Sd)(Random));
  };
  const double V = voltsAt(Mhz);
  double Seconds = 0, Dynamic = 0;
  for (const auto &[Class, Units] : P.counts(Iterations, 64))
    if (const auto Found = prices().find(Class); Found != prices().end()) {
      const Price &Element = Found->second;
      Seconds = std::max(Seconds,
                         Units / (Element.PerS > 0 ? Element.PerS : Element.PerCycle * Mhz * 1e6));
      Dynamic += Units * Element.J * (Class == "bytes_dram" ? 1 : V * V);
    }
  EnergySample Result;
  Result.Time = {About(Seconds, 0.002), 0, Mhz * 1e6, 0};
  Result.Joules = About(
      Dynamic + (MiscW + CoreWPerV * V + CoreWPerMhzV2 * Mhz * V * V) * Result.Time.Seconds, 0.01);
  return Result;
}
} // namespace

TEST(ClockScaling, PricesFollowTheVoltage) {
  std::mt19937 Random(11);
  SampleSizes Sizes;
  std::vector<EnergyRow> Rows;
  const std::vector<Probe> Probes = energyProbes(table().Probes);
  const std::vector<double> Clocks = {3000, 2600, 2000, 1500, 1000};
  for (double Mhz : Clocks) {
    EnergyGoal Goal = energyGoal(1e-3, false);
    Goal.Most = Goal.Least;
    EnergyHooks Hooks = {.Open = [&](const Probe &P) -> TakeEnergy {
                           return [&](std::uint64_t N) { return sampleAt(Mhz, P, N, Random); };
                         },
                         .Keep = [](const EnergyRow &) { return true; },
                         .Stop = [] { return false; },
                         .Show = [](const Progress &) {},
                         .Sizes = &Sizes};
    for (EnergyRow ER : sampleEnergies(Probes, {}, Goal, 64, Hooks).Rows) {
      ER.CoreMhz = Mhz;
      Rows.push_back(ER);
    }
  }
  // A workload is the same at each clock: what takes cycles alone takes three times as long at a
  // third of the clock.
  auto Row = [&](double Mhz) {
    return *std::ranges::find_if(Rows, [&](const EnergyRow &R) {
      return R.CoreMhz == Mhz && R.Workload == "add-f64-64-2threads";
    });
  };
  EXPECT_EQ(Row(3000).Counts, Row(1000).Counts);
  EXPECT_THAT(Row(1000).Seconds / Row(3000).Seconds, DoubleNear(3, 0.03));

  const auto Fit = fitEnergies(Rows);
  ASSERT_TRUE(Fit) << Fit.error().What;
  Machine M;
  M.Name = "m";
  M.Description = "made up";
  M.Sources["c"] = {SourceKind::Measured, "made up", "2026", "", std::string("none")};
  describeClocks(M, Clocks, {}, "c");
  fillMachine(M, *Fit, "c");
  const Covariance &Errors = *M.Fit.Quality->JointCovariance;
  for (const Setting &S : M.Settings) {
    EXPECT_FALSE(S.ActualCoreMhz) << *S.CoreMhz;
    const double V = voltsAt(*S.CoreMhz);
    for (const auto &[Class, True] : prices()) {
      const auto Found = std::ranges::find(Errors.Coefficients, "energy." + Class);
      ASSERT_NE(Found, Errors.Coefficients.end()) << Class;
      const std::size_t K = Found - Errors.Coefficients.begin();
      const double Sd = std::sqrt(Errors.Relative[K][K]);
      EXPECT_LT(Sd, 0.1) << Class;
      EXPECT_THAT(*M.energyPerUnit(Class, S) / True.J / (Class == "bytes_dram" ? 1 : V * V),
                  DoubleNear(1, 0.02 + 2.5 * Sd)) // 2 % for the voltage
          << Class << " at " << *S.CoreMhz;
    }
    EXPECT_THAT(*M.constantPower(S) / (MiscW + CoreWPerV * V + CoreWPerMhzV2 * *S.CoreMhz * V * V),
                DoubleNear(1, 0.05))
        << *S.CoreMhz;
  }
  EXPECT_LT(M.Fit.Quality->EnergyError->Value, 0.02);
  const auto Again = parseProfile(writeProfile(M));
  ASSERT_TRUE(Again) << Again.error().line();
}
