//===- EnergyCampaignTest.cpp - prices from meters that tell known joules -===//
//
// The machine is made up: seconds and joules of a sample follow from what its probe executes, by
// prices that are written down here. The joules are written where meters read them, and the fit has
// to find the prices within the intervals that it states.
//
//===----------------------------------------------------------------------===//

#include "calibration/EnergyCampaign.h"
#include "calibration/EnergyMeter.h"
#include "test/support/ProbedMachines.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

using namespace ergon;
using testing::DoubleNear;

namespace {
struct Price {
  double J, PerS;
};
/// Joules of a unit, and units a second.
const std::map<std::string, Price> &prices() {
  static const std::map<std::string, Price> Result = {
      {"flops_f32", {5e-12, 6e10}},  {"flops_f64", {1e-11, 3e10}}, {"int_ops", {8e-12, 3e10}},
      {"bytes_l1", {1.5e-12, 2e11}}, {"bytes_l2", {4e-12, 1e11}},  {"bytes_l3", {1.5e-11, 8e10}},
      {"bytes_dram", {6e-11, 2e10}}};
  return Result;
}
constexpr double ConstantW = 12;

struct EnergyCampaigns : testing::Test {
  std::filesystem::path Folder;
  std::mt19937 Random{7};
  std::vector<Probe> Probes;
  EnergyGoal Goal = energyGoal(1e-3, false);
  EnergyHooks Hooks;
  SampleSizes Sizes;
  std::size_t Kept = 0;
  double TotalJ = 0;
  /// Puts that many joules more where the meter reads.
  std::function<void()> Tell;

  EnergyCampaigns() {
    Folder = std::filesystem::path(testing::TempDir()) /
             testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(Folder);
    std::filesystem::create_directories(Folder);
    const ProbeTable Table = probesFor(twoCores());
    Probes = energyProbes(Table.Probes);
    Hooks.Keep = [this](const EnergyRow &) { return ++Kept; };
    Hooks.Stop = [] { return false; };
    Hooks.Show = [](const Progress &) {};
    Hooks.Sizes = &Sizes;
  }
  ~EnergyCampaigns() override {
    unsetenv("ERGON_METERS");
    unsetenv("ERGON_POWERCAP_ROOT");
  }

  void write(const std::string &Name, const std::string &Text) {
    std::filesystem::create_directories((Folder / Name).parent_path());
    std::ofstream(Folder / Name) << Text;
  }
  double about(double Value, double RelativeSd) {
    return Value * (1 + std::normal_distribution(0.0, RelativeSd)(Random));
  }
  void openWith(EnergyMeter &Meter) {
    Hooks.Open = [this, &Meter](const Probe &P) -> TakeEnergy {
      return [this, &Meter, &P](std::uint64_t Iterations) {
        EnergySample Result;
        double Seconds = 0, Dynamic = 0;
        for (const auto &[Class, Units] : P.counts(Iterations, 64))
          if (const auto Found = prices().find(Class); Found != prices().end()) {
            Seconds = std::max(Seconds, Units / Found->second.PerS);
            Dynamic += Units * Found->second.J;
          }
        Result.Time = {about(Seconds, 0.002), 0, 3e9, 0};
        const auto Before = Meter.joules();
        TotalJ += about(Dynamic + ConstantW * Result.Time.Seconds, 0.01);
        Tell();
        const auto After = Meter.joules();
        if (Before && After)
          Result.Joules = *After - *Before;
        return Result;
      };
    };
  }
  EnergyResult run() { return sampleEnergies(Probes, {}, Goal, 64, Hooks); }

  void expectPrices(EnergyResult Result) {
    for (EnergyRow &Row : Result.Rows)
      Row.CoreMhz = 3000;
    const auto Fit = fitEnergies(Result.Rows);
    ASSERT_TRUE(Fit) << Fit.error().What;
    Machine M;
    fillMachine(M, *Fit, "c");
    const Covariance &All = *M.Fit.Quality->JointCovariance;
    auto Check = [&](const std::string &Name, double Found, double True) {
      const auto Position = std::ranges::find(All.Coefficients, Name);
      ASSERT_NE(Position, All.Coefficients.end()) << Name;
      const std::size_t K = Position - All.Coefficients.begin();
      const double Sd = std::sqrt(All.Relative[K][K]);
      EXPECT_LT(Sd, 0.1) << Name;
      EXPECT_THAT(Found, DoubleNear(True, 1.96 * Sd * Found)) << Name; // its interval of 95 %
    };
    Check("constant_power.misc_w", M.Power.Constant.MiscW->Value, ConstantW);
    for (const auto &[Class, Price] : prices())
      Check("energy." + Class, M.Power.Energies.at(Class).Coefficient.Value, Price.J);
    EXPECT_LT(M.Fit.Quality->EnergyError->Value,
              0.02); // of workloads that were left out; noise is 0.01
  }
};
} // namespace

/// A fault is told of, not the remark that was made before it.
TEST(FitEnergies, SaysWhatIsWrongWithTheRows) {
  std::vector<EnergyRow> Rows;
  for (int K = 1; K != 5; ++K) // 10 W
    Rows.push_back({"add" + std::to_string(K), 1, 10, {{"flops_f64", 1e9 * K}}, 1000});
  // 1600 W: above a board's 1500 W, which is a remark, and 160 times the median, which is no power
  // of this machine.
  Rows.push_back({"mul", 1, 1600, {{"flops_f64", 1e9}}, 1000});
  const auto Fit = fitEnergies(Rows);
  ASSERT_FALSE(Fit);
  EXPECT_THAT(Fit.error().What, testing::HasSubstr("times off the median of the other rows"));
}

/// A package and memory beside it, whose counters go around again and again; a core that is in the
/// package and tells nonsense.
TEST_F(EnergyCampaigns, PricesFromARaplTree) {
  constexpr std::uint64_t Range = 30'000'000; // 30 J
  const std::string Package = "intel-rapl:0/", Core = Package + "intel-rapl:0:0/",
                    Memory = Package + "intel-rapl:0:1/";
  for (const auto &[Zone, Name] :
       {std::pair(Package, "package-0"), {Core, "core"}, {Memory, "dram"}}) {
    write(Zone + "name", Name);
    write(Zone + "max_energy_range_uj", std::to_string(Range));
  }
  // In place: files that are made anew take their time.
  auto Count = [&](const std::string &Zone, double Joules) {
    const std::string Digits = std::to_string(std::uint64_t(Joules * 1e6) % (Range + 1));
    const std::filesystem::path File = Folder / (Zone + "energy_uj");
    std::fstream(File, std::ios::in | std::ios::out)
        << std::string(20 - Digits.size(), '0') + Digits;
  };
  for (const std::string &Zone : {Package, Core, Memory})
    write(Zone + "energy_uj", "");
  Tell = [&] {
    Count(Package, 29 + 0.7 * TotalJ);
    Count(Core, 5 * TotalJ);
    Count(Memory, 17 + 0.3 * TotalJ);
  };
  Tell();
  setenv("ERGON_METERS", "powercap", 1);
  setenv("ERGON_POWERCAP_ROOT", Folder.c_str(), 1);
  EnergyMeter Meter = EnergyMeter::find();
  ASSERT_TRUE(Meter.isThere()) << Meter.why();
  EXPECT_EQ(Meter.name(), "powercap/intel-rapl:0, powercap/intel-rapl:0:1");
  EXPECT_EQ(Meter.periodS(), 1e-3);
  openWith(Meter);
  const EnergyResult Found = run();
  EXPECT_EQ(Found.End, CampaignEnd::Done);
  EXPECT_EQ(Found.Rows.size(), Kept);
  expectPrices(Found);
}

TEST_F(EnergyCampaigns, PricesFromAScript) {
  std::ofstream Lines(Folder / "script");
  Lines << "0\n" << std::flush;
  setenv("ERGON_METERS", ("script:" + (Folder / "script").string()).c_str(), 1);
  EnergyMeter Meter = EnergyMeter::find();
  ASSERT_TRUE(Meter.isThere()) << Meter.why();
  // A reading takes a line; where there is none the count stays.
  Tell = [&] { Lines << std::uint64_t(TotalJ * 1e9) << "\n" << std::flush; };
  openWith(Meter);
  expectPrices(run());
}

TEST_F(EnergyCampaigns, AMeterThatEnds) {
  std::ofstream Lines(Folder / "script");
  Lines << "0\n" << std::flush;
  setenv("ERGON_METERS", ("script:" + (Folder / "script").string()).c_str(), 1);
  EnergyMeter Meter = EnergyMeter::find();
  Tell = [&] {
    if (TotalJ < 10)
      Lines << std::uint64_t(TotalJ * 1e9) << "\n" << std::flush;
    else
      Lines << "unplugged\n" << std::flush;
  };
  openWith(Meter);
  const EnergyResult Found = run();
  EXPECT_TRUE(Found.MeterEnded);
  EXPECT_THAT(Meter.why(), testing::HasSubstr("script: unplugged"));
}

/// A third of the samples ran at 70 % of the clock, and two probes were always preempted a little.
TEST_F(EnergyCampaigns, ThrottledSamplesAreDropped) {
  std::size_t Taken = 0;
  Hooks.Open = [&](const Probe &P) -> TakeEnergy {
    const bool Always = &P - Probes.data() < 2;
    return [&, Always](std::uint64_t Iterations) {
      const bool Slow = ++Taken % 3 == 0;
      EnergySample Result;
      const double Seconds = 1e-3 * double(Iterations);
      Result.Time = {Slow ? Seconds / 0.7 : Seconds, Always ? 0.02 : 0, Slow ? 2.1e9 : 3e9, 0};
      Result.Joules = 20 * Result.Time.Seconds;
      return Result;
    };
  };
  const EnergyResult Found = run();
  EXPECT_EQ(Found.End, CampaignEnd::Done);
  EXPECT_GT(Found.ClockMoved, Probes.size());
  EXPECT_THAT(Found.Disturbed, testing::ElementsAre(Probes[0].Name, Probes[1].Name));
  for (const EnergyRow &Row : Found.Rows)
    EXPECT_LT(Row.Seconds, 1.3 * Goal.SampleS) << Row.Workload;
}

TEST_F(EnergyCampaigns, WhatIsThereIsNotTakenAgain) {
  setenv("ERGON_METERS", "none", 1);
  EnergyMeter Meter = EnergyMeter::find();
  EXPECT_FALSE(Meter.isThere());
  EXPECT_EQ(Meter.name(), "there is none");
  std::vector<EnergyRow> Earlier;
  for (const Probe &P : Probes)
    for (std::size_t K = 0; K != Goal.Least; ++K)
      Earlier.push_back({P.Name, 1, 1, {{"flops_f64", 1}}});
  Hooks.Open = [](const Probe &) { return TakeEnergy(); };
  const EnergyResult Found = sampleEnergies(Probes, Earlier, Goal, 64, Hooks);
  EXPECT_EQ(Found.Attempts, 0u);
  EXPECT_EQ(Found.Rows.size(), Earlier.size());
  EXPECT_THAT(Found.Unmeasured, testing::IsEmpty());
}

TEST(WarmUps, UntilFourBlocksAreAlike) {
  // 10, 15, 17.5, … W on the way to 20: the ninth block is 19.96, the sixth 19.69.
  double Power = 0;
  const WarmUp Found = warmUp([&] { return Power = (Power + 20) / 2; }, 60);
  EXPECT_TRUE(Found.IsSteady);
  EXPECT_EQ(Found.Blocks, 10u); // 19.84 to 19.98: the seventh to the tenth
  double Rising = 1;
  EXPECT_FALSE(warmUp([&] { return Rising *= 1.1; }, 20).IsSteady);
}
