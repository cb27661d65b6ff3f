//===- CacheRoofsTest.cpp - cache-aware rooflines -------------------------===//
//
// "CARM" is Ilic, Pratas, Sousa: Beyond the roofline (2016). The sides that the code
// does not compute are written out here: from times of bytes and flops, by bisection
// or over a grid of mixtures, or as the energy roofline of 2013 has them.
//
//===----------------------------------------------------------------------===//

#include "model/energy/CacheRoofs.h"
#include "formats/profile/ProfileFormat.h"
#include "model/energy/Roofline.h"
#include "model/machine/CostClass.h"
#include "test/support/Cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

using namespace ergon;
using testing::ElementsAre;
using testing::Pair;
namespace fs = std::filesystem;

static constexpr double Infinite = std::numeric_limits<double>::infinity();

/// 100 Gflop/s, 25 GB/s; 10 W always, 20 W for flops, 8 W for bytes.
static const PowerHill Hill{100e9, 25e9, 10, 20, 8};

static const PowerHill Hills[] = {
    Hill,
    {112e9, 672e9, 12.5, 17.25, 3.5},        // a ridge below 1
    {1581.06e9, 192.4e9, 122, 157.63, 98.7}, // power above that of constant and flops
    {1e9, 1e9, 0, 1, 100},                   // no constant power
    {1e9, 2e9, 5, 0, 1e-3},                  // as in uncore: no flops
    {3e9, 1e9, 5, 1, 0},                     // bytes that draw nothing
    {3e9, 1e9, 0, 1, 0},                     // flops alone
};

/// As fits have them: 40 W of dynamic power stay 40 W, 10 W become 40·(1/4)^0.7 = 15.2 W.
static Saturation saturation() { return {{0.7, "s"}, {40, "s"}}; }

static std::vector<PowerHill> allHills() {
  std::vector<PowerHill> Result(std::begin(Hills), std::end(Hills));
  for (PowerHill Hill : Hills) {
    Hill.Saturates = saturation();
    Result.push_back(Hill);
  }
  return Result;
}

TEST(PowerHill, ByHand) {
  EXPECT_EQ(Hill.ridge(), 4);
  EXPECT_EQ(Hill.power(0), 18);
  EXPECT_EQ(Hill.power(2), 28); // flops half of the time
  EXPECT_EQ(Hill.power(4), 38);
  EXPECT_EQ(Hill.power(8), 34); // bytes half of the time
  EXPECT_EQ(Hill.power(Infinite), 30);
  EXPECT_EQ(Hill.topPower(), 38);
  EXPECT_DOUBLE_EQ(Hill.energy(1e9, 2), 0.56); // 0.5 GB take 20 ms
  EXPECT_DOUBLE_EQ(Hill.energy(1e9, 8), 0.34); // 10 ms
  EXPECT_DOUBLE_EQ(Hill.maxEfficiency(), 100e9 / 30);
  EXPECT_DOUBLE_EQ(Hill.efficiency(1.8), 45e9 / 27);
  EXPECT_DOUBLE_EQ(Hill.entryPoint(0.5), 1.8);     // 45/27 is half of 100/30
  EXPECT_NEAR(Hill.entryPoint(0.99), 105.6, 1e-9); // 4·0.99·8/(0.01·30)
}

TEST(PowerHill, Equations1To4FromTheTimesOfFlopsAndBytes) {
  for (const PowerHill &H : allHills())
    for (double Log = -40; Log <= 40; Log += 0.25) {
      const double AI = H.ridge() * std::exp2(Log), Flops = 7e9;
      const double TimeFlops = Flops / H.FlopsPerS, TimeBytes = Flops / AI / H.BytesPerS;
      const double T = std::max(TimeFlops, TimeBytes);
      const double Variable = H.BytesW * TimeBytes / T + H.FlopsW * TimeFlops / T;
      const double P = H.ConstantW + (H.Saturates ? 40 * std::pow(Variable / 40, 0.7) : Variable);
      EXPECT_NEAR(H.power(AI) / P, 1, 1e-12);
      EXPECT_NEAR(H.energy(Flops, AI) / (P * T), 1, 1e-12);
      EXPECT_NEAR(H.efficiency(AI) / (Flops / (P * T)), 1, 1e-12);
      EXPECT_LE(H.power(AI), H.topPower());
      EXPECT_LE(H.efficiency(AI), H.maxEfficiency() * (1 + 1e-15));
      if (H.Saturates)
        continue;
      // Eq. 3 and 4 as printed; of eq. 4's denominator the text has the first half.
      const double Printed3 = H.ConstantW / std::min(H.BytesPerS * AI, H.FlopsPerS) +
                              H.BytesW / (H.BytesPerS * AI) + H.FlopsW / H.FlopsPerS;
      EXPECT_NEAR(H.energy(Flops, AI) / (Flops * Printed3), 1, 1e-12);
      const double Denominator = H.ConstantW * std::max(H.FlopsPerS, H.BytesPerS * AI) +
                                 H.BytesW * H.FlopsPerS + H.FlopsW * H.BytesPerS * AI;
      EXPECT_NEAR(H.efficiency(AI) / (H.BytesPerS * AI * H.FlopsPerS / Denominator), 1, 1e-12);
    }
}

/// The lowest intensity with that share of ξ_max, by bisection of its logarithm.
static double entryByBisection(const PowerHill &H, double Share) {
  double Low = -200, High = 200;
  for (int Step = 0; Step != 200; ++Step) {
    const double Middle = (Low + High) / 2;
    (H.efficiency(std::exp2(Middle)) < Share * H.maxEfficiency() ? Low : High) = Middle;
  }
  return std::exp2(High);
}

TEST(PowerHill, EntryPointAgainstBisection) {
  std::vector<PowerHill> All = allHills();
  All.erase(All.begin() + 6); // whose efficiency is the same everywhere
  for (const PowerHill &H : All)
    for (double Share : {0.01, 0.1, 0.5, 0.7, 0.8, 0.9, 0.99, 0.9999})
      EXPECT_NEAR(H.entryPoint(Share) / entryByBisection(H, Share), 1, 1e-9);
  EXPECT_EQ(Hills[0].entryPoint(1), Infinite);
  EXPECT_EQ(Hills[5].entryPoint(1), 3); // its ridge: bytes draw nothing of their own
  EXPECT_EQ(Hills[6].entryPoint(0.99), 0);
  EXPECT_EQ(Hills[6].entryPoint(1), 0);
}

/// The most power at \p AI over all mixtures of three levels' bytes in steps of 1/Steps.
static double mostOverMixtures(std::span<const PowerHill> Levels, double AI, int Steps) {
  double Most = 0;
  for (int A = 0; A <= Steps; ++A)
    for (int B = 0; A + B <= Steps; ++B) {
      const double Parts[] = {double(A), double(B), double(Steps - A - B)};
      double TimeBytes = 0, Joules = 0; // of one byte
      for (int I = 0; I != 3; ++I) {
        TimeBytes += Parts[I] / Steps / Levels[I].BytesPerS;
        Joules += Parts[I] / Steps * Levels[I].BytesW / Levels[I].BytesPerS;
      }
      const double TimeFlops = AI / Levels[0].FlopsPerS, T = std::max(TimeFlops, TimeBytes);
      Most = std::max(Most, Levels[0].ConstantW + Joules / T + Levels[0].FlopsW * TimeFlops / T);
    }
  return Most;
}

TEST(TotalPower, IsTheMostOverAllMixturesOfLevels) {
  const std::vector<std::vector<PowerHill>> Machines = {
      // As CARM finds it: more power the farther the cache, less for main memory.
      {{112e9, 672e9, 10, 20, 12}, {112e9, 190e9, 10, 20, 18}, {112e9, 20e9, 10, 20, 9}},
      // A level in the middle that a mixture of the others exceeds.
      {{100e9, 400e9, 5, 10, 30}, {100e9, 100e9, 5, 10, 2}, {100e9, 25e9, 5, 10, 30}},
  };
  for (const std::vector<PowerHill> &Levels : Machines)
    for (double Log = -6; Log <= 6; Log += 0.125) {
      const double AI = std::exp2(Log), Total = totalPower(Levels, AI);
      const double Most = mostOverMixtures(Levels, AI, 600);
      EXPECT_GE(Total, Most * (1 - 1e-12)) << AI;
      EXPECT_NEAR(Total / Most, 1, 2e-2) << AI; // a grid misses the top by its step
      for (const PowerHill &Level : Levels)
        EXPECT_GE(Total, Level.power(AI));
    }
  // At the second machine's middle ridge, by hand: 1/4 s of flops a GB; bytes at 100 GB/s
  // are a share (1/100-1/400)/(1/25-1/400) = 0.2 from afar; 0.8·75 + 0.2·1200 pJ each.
  EXPECT_DOUBLE_EQ(totalPower(Machines[1], 1), 5 + 10 + 0.3e-9 * 100e9);
  EXPECT_EQ(totalPower({}, 1), 0);
}

//===----------------------------------------------------------------------===//
// From profiles
//===----------------------------------------------------------------------===//

static Machine load(const fs::path &File) {
  auto M = parseProfile(readTestFile(fs::path(ERGON_SOURCE_DIR) / File));
  EXPECT_TRUE(M) << File;
  return M.value_or(Machine());
}

/// Shipped profiles, and those of the tests.
static std::vector<Machine> everyMachine() {
  const fs::path Source = ERGON_SOURCE_DIR;
  std::vector<Machine> Machines;
  for (const char *Folder : {"machine-profiles", "test/profiles/good"})
    for (const auto &Entry : fs::directory_iterator(Source / Folder))
      if (Entry.path().extension() == ".json" && Entry.path().stem() != "schema")
        Machines.push_back(load(Entry.path()));
  for (const char *List : {"impossible", "implausible"})
    for (const Case &Wrong : readCases(Source / "test/profiles", List))
      Machines.push_back(parseProfile(Wrong.Nearly).value());
  return Machines;
}

/// Every level of every machine, at every setting, for every class of flops.
template <typename Function> static int forEveryLevel(Function &&Do) {
  int Levels = 0;
  for (const Machine &M : everyMachine())
    for (const Setting &Clocks : M.Settings)
      for (const auto &[Class, Rate] : M.Timing.Throughputs)
        if (isFlops(Class))
          for (const LevelRoof &Roof : cacheRoofs(M, Clocks, Class).Levels) {
            Do(M, Clocks, Class, Roof);
            ++Levels;
          }
  return Levels;
}

TEST(CacheRoofs, HillAtTheRidgeLimitsAndGreatestEfficiencyForEveryLevelOfEveryProfile) {
  int Hills = 0;
  const int Levels = forEveryLevel([&](const Machine &M, const Setting &Clocks,
                                       const std::string &Class, const LevelRoof &Roof) {
    SCOPED_TRACE(M.Name + " " + Class + " " + Roof.Level);
    EXPECT_DOUBLE_EQ(Roof.attainable(Roof.ridge()), Roof.FlopsPerS);
    EXPECT_DOUBLE_EQ(Roof.attainable(Roof.ridge() / 2), Roof.FlopsPerS / 2);
    EXPECT_EQ(Roof.attainable(Infinite), Roof.FlopsPerS);
    EXPECT_DOUBLE_EQ(Roof.FlopsPerS * M.timePerUnit(Class, Clocks).value(), 1);
    for (const auto &[Domain, H] : Roof.Hills) {
      ++Hills;
      auto Sum = [&](double Variable) { // the domains' powers are never saturated
        return H.ConstantW + (M.Power.Saturates && Domain == PowerDomain::Machine
                                  ? M.Power.Saturates->watts(Variable)
                                  : Variable);
      };
      EXPECT_DOUBLE_EQ(H.power(H.ridge()), Sum(H.BytesW + H.FlopsW));
      EXPECT_DOUBLE_EQ(H.power(H.ridge()), H.topPower());
      EXPECT_DOUBLE_EQ(H.power(0), Sum(H.BytesW));
      EXPECT_DOUBLE_EQ(H.power(Infinite), Sum(H.FlopsW));
      EXPECT_DOUBLE_EQ(H.efficiency(Infinite), H.FlopsPerS / Sum(H.FlopsW));
      EXPECT_EQ(H.efficiency(Infinite), H.maxEfficiency());
    }
    if (auto Whole = Roof.Hills.find(PowerDomain::Machine); Whole != Roof.Hills.end()) {
      // P^φ without the code's own sum: the power of a run of flops alone.
      Machine Free = M;
      Free.Power.Cap.reset();
      Free.Fit.Corrects.reset();
      EXPECT_DOUBLE_EQ(Whole->second.maxEfficiency(),
                       Roof.FlopsPerS / estimate(Free, Clocks, {{Class, 1e12}}).PowerW);
    }
  });
  EXPECT_GE(Levels, 200); // jetson-tk1 alone has 32
  EXPECT_GE(Hills, 200);
}

TEST(CacheRoofs, MainMemoryHasThePowerAndArchLineOf2013) {
  int Compared = 0;
  forEveryLevel([&](const Machine &M, const Setting &Clocks, const std::string &Class,
                    const LevelRoof &Roof) {
    auto Whole = Roof.Hills.find(PowerDomain::Machine);
    const auto R = rooflineParameters(M, Clocks, Class);
    if (Roof.Level != "dram" || Whole == Roof.Hills.end() || !R ||
        M.Power.BytesPaid == ByteEnergy::AtEachLevel || M.Power.Saturates)
      return;
    if (Roof.BytesPerS < (1 - 1e-9) / R->TauMem)
      return; // a cache holds main memory back: 2013 has no caches
    ++Compared;
    const PowerHill &H = Whole->second;
    EXPECT_DOUBLE_EQ(H.ridge(), R->timeBalance());
    EXPECT_DOUBLE_EQ(H.topPower(), R->powerBound());
    EXPECT_NEAR(H.entryPoint(0.5) / R->balancePoint(), 1, 1e-12);
    for (double I : {0.0, 1e-6, 0.1, 1.0, 2.0, 8.0, 64.0, 1e9, Infinite}) {
      EXPECT_NEAR(H.power(I) / R->powerline(I), 1, 1e-12);
      EXPECT_NEAR(H.efficiency(I), R->archLine(I) / R->fullEnergyPerFlop(),
                  1e-12 * H.maxEfficiency());
    }
  });
  EXPECT_GE(Compared, 37);
}

TEST(CacheRoofs, DomainsOfAProfileThatHasThemApart) {
  const Machine M = load("test/profiles/good/hardware.json");
  const CacheRoofs Roofs = cacheRoofs(M, *M.findSetting(2000, std::nullopt), "flops_f64");
  ASSERT_EQ(Roofs.Levels.size(), 2u);
  const LevelRoof &L1 = Roofs.Levels[0], &Dram = Roofs.Levels[1];
  EXPECT_EQ(L1.Level, "l1");
  EXPECT_EQ(L1.ridge(), 0.25);
  EXPECT_EQ(Dram.ridge(), 5);
  EXPECT_EQ(L1.Hills.at(PowerDomain::Cores).topPower(), 10 + 20 + 8);
  EXPECT_EQ(L1.Hills.at(PowerDomain::Uncore).topPower(), 4); // no main memory: eq. 2 is constant
  EXPECT_EQ(L1.Hills.at(PowerDomain::Uncore).power(0), 4);
  EXPECT_EQ(L1.Hills.at(PowerDomain::Package).topPower(), 42);
  EXPECT_EQ(Dram.Hills.at(PowerDomain::Uncore).power(0), 7);
  EXPECT_EQ(Dram.Hills.at(PowerDomain::Uncore).power(10), 4 + 3 * 0.5); // eq. 2: F_p/(B·AI)
  EXPECT_EQ(Dram.Hills.at(PowerDomain::Package).topPower(), 10 + 20 + 5 + 4 + 3);
  for (double AI : {0.0, 0.1, 0.25, 1.0, 5.0, 50.0, Infinite})
    for (const LevelRoof &Level : Roofs.Levels)
      EXPECT_DOUBLE_EQ(Level.Hills.at(PowerDomain::Package).power(AI),
                       Level.Hills.at(PowerDomain::Cores).power(AI) +
                           Level.Hills.at(PowerDomain::Uncore).power(AI));
  EXPECT_EQ(Dram.Hills.at(PowerDomain::Package).maxEfficiency(), 100e9 / 34);
  EXPECT_FALSE(Dram.Hills.contains(PowerDomain::Machine));
  EXPECT_EQ(Roofs.hills(PowerDomain::Package).size(), 2u);
  EXPECT_THAT(Roofs.Unknown, ElementsAre("constant power of the machine", "energy of flops_f64"));
  // Nobody stated the power at the other clock.
  for (const LevelRoof &Level : cacheRoofs(M, M.Settings[1], "flops_f64").Levels)
    EXPECT_TRUE(Level.Hills.empty());
}

TEST(CacheRoofs, RidgesOfCachesStayAndThatOfMainMemoryMovesWithTheCoreClock) {
  const Machine M = load("test/profiles/good/hardware.json"); // 2000 MHz, then 1000 MHz
  auto Ridges = [&](double Mhz) {
    std::vector<std::pair<std::string, double>> Result;
    for (const LevelRoof &L : cacheRoofs(M, {Mhz, {}, {}, {}, "s"}, "flops_f64").Levels)
      Result.emplace_back(L.Level, L.ridge());
    return Result;
  };
  EXPECT_THAT(Ridges(2000), ElementsAre(Pair("l1", 0.25), Pair("dram", 5)));
  EXPECT_THAT(Ridges(1000), ElementsAre(Pair("l1", 0.25), Pair("dram", 2.5)));
  // 400 GB/s at 2000 MHz are 20 GB/s at 100 MHz; below it the cache holds memory back.
  EXPECT_DOUBLE_EQ(*meetingCoreMhz(M.Timing.Throughputs.at("bytes_l1"),
                                   M.Timing.Throughputs.at("bytes_dram"), {}),
                   100);
  EXPECT_THAT(Ridges(100), ElementsAre(Pair("l1", 0.25), Pair("dram", 0.25)));
  EXPECT_THAT(Ridges(50), ElementsAre(Pair("l1", 0.25), Pair("dram", 0.25)));
}

TEST(CacheRoofs, MeetingOfRidgesThatCarmPrintsForL3) {
  // CARM, end of section 5: on the i7-3770K the ridges of L3 and of main memory meet at
  // 390 MHz. So at 3500 MHz L3 is 3500/390 times as fast as main memory, however fast that is.
  for (double DramPerS : {12e9, 20e9, 25.6e9}) {
    const Throughput L3{{DramPerS * 3500 / 390, "s"}, Domain::Core, 3500};
    EXPECT_NEAR(*meetingCoreMhz(L3, {{DramPerS, "s"}, {}, 0}, {}), 390, 1e-9);
    const Throughput Clocked{{2 * DramPerS, "s"}, Domain::Mem, 1600};
    EXPECT_NEAR(*meetingCoreMhz(L3, Clocked, {{}, 800, {}, {}, ""}), 390, 1e-9);
    EXPECT_FALSE(meetingCoreMhz(L3, Clocked, {})); // whatever the memory's clock is
    EXPECT_FALSE(meetingCoreMhz(L3, L3, {}));
    EXPECT_FALSE(meetingCoreMhz(Clocked, Clocked, {}));
  }
}

TEST(CacheRoofs, WhatCarmPrintsOfTheI73770k) {
  const Machine M = load("machine-profiles/i7-3770k.json");
  const CacheRoofs Roofs = cacheRoofs(M, M.defaultSetting(), "flops_f64");
  ASSERT_EQ(Roofs.Levels.size(), 2u);
  const LevelRoof &L1 = Roofs.Levels[0], &Dram = Roofs.Levels[1];
  EXPECT_NEAR(L1.FlopsPerS, 112e9, 1);
  // Section 2: at 0.5 flops per byte L1 is bound by computation and main memory is not.
  EXPECT_NEAR(L1.attainable(0.5), 112e9, 1);
  EXPECT_NEAR(Dram.attainable(0.5), 12.8e9, 1);
  EXPECT_NEAR(L1.ridge(), 8.0 / 48, 1e-12); // flops and bytes of a cycle and core
  // Section 5: from 3.5 to 1.6 GHz the ridge of L1 stays, that of main memory falls.
  const CacheRoofs Slow = cacheRoofs(M, *M.findSetting(1600, std::nullopt), "flops_f64");
  EXPECT_NEAR(Slow.Levels[0].ridge(), 8.0 / 48, 1e-12);
  EXPECT_NEAR(Slow.Levels[1].ridge() / Dram.ridge(), 1600.0 / 3500, 1e-12);
  EXPECT_TRUE(L1.Hills.empty() && Dram.Hills.empty()); // no power is printed
}

static Machine threeLevels() {
  Machine M;
  M.Timing.Throughputs["flops_f64"] = {{100e9, "s"}, {}, 0};
  M.Timing.Throughputs["bytes_l2"] = {{50e9, "s"}, {}, 0};
  M.Timing.Throughputs["bytes_dram"] = {{20e9, "s"}, {}, 0};
  M.Timing.Throughputs["bytes_shared"] = {{200e9, "s"}, {}, 0};
  M.Power.Energies["flops_f64"] = {{100e-12, "s"}, {}};
  M.Power.Energies["bytes_l1"] = {{10e-12, "s"}, {}};
  M.Power.Energies["bytes_l2"] = {{40e-12, "s"}, {}};
  M.Power.Energies["bytes_dram"] = {{300e-12, "s"}, {}};
  M.Power.Energies["bytes_shared"] = {{30e-12, "s"}, {}};
  M.Power.Constant.MiscW = Quantity{5, "s"};
  return M;
}

TEST(CacheRoofs, WhatAByteOfAnOuterLevelPays) {
  Machine M = threeLevels();
  auto BytesW = [&] {
    std::vector<std::pair<std::string, double>> Result;
    for (const LevelRoof &L : cacheRoofs(M, M.defaultSetting(), "flops_f64").Levels)
      for (const auto &[Domain, H] : L.Hills)
        Result.emplace_back(L.Level, std::round(H.BytesW * 1e6) / 1e6);
    return Result;
  };
  // Nobody said whether 300 pJ have the 50 pJ of the caches in them.
  EXPECT_THAT(BytesW(), ElementsAre(Pair("shared", 6)));
  EXPECT_THAT(cacheRoofs(M, M.defaultSetting(), "flops_f64").Unknown,
              ElementsAre("bandwidth of l1",
                          "whether the energy of a byte of l2 has that of l1 in it (byte_energy)",
                          "whether the energy of a byte of dram has that of l1 and l2 in it "
                          "(byte_energy)"));
  M.Power.BytesPaid = ByteEnergy::WhereServed;
  EXPECT_THAT(BytesW(), ElementsAre(Pair("shared", 6), Pair("l2", 2), Pair("dram", 6)));
  M.Power.BytesPaid = ByteEnergy::AtEachLevel;
  EXPECT_THAT(BytesW(), ElementsAre(Pair("shared", 6), Pair("l2", 2.5), Pair("dram", 7)));
  // As a prediction has it of a stream that passes all three.
  const auto Dram = cacheRoofs(M, M.defaultSetting(), "flops_f64").Levels.back();
  EXPECT_NEAR(
      Dram.Hills.at(PowerDomain::Machine).power(0),
      estimate(M, M.defaultSetting(), {{"bytes_l1", 1e9}, {"bytes_l2", 1e9}, {"bytes_dram", 1e9}})
          .PowerW,
      1e-9);
  M.Power.Energies["bytes_l2"].Rail = Domain::Core; // and no voltage
  EXPECT_THAT(BytesW(), ElementsAre(Pair("shared", 6)));
}

TEST(CacheRoofs, TheSaturationOfAFitIsThatOfPredictions) {
  Machine M = threeLevels();
  M.Power.BytesPaid = ByteEnergy::AtEachLevel;
  M.Power.Saturates = saturation();
  const auto Dram = cacheRoofs(M, M.defaultSetting(), "flops_f64").Levels.back();
  const PowerHill &H = Dram.Hills.at(PowerDomain::Machine);
  for (double AI : {0.01, 1.0, 5.0, 20.0, 1e4}) {
    const double Bytes = 1e9, Flops = AI * Bytes;
    const Estimate E = estimate(
        M, M.defaultSetting(),
        {{"flops_f64", Flops}, {"bytes_l1", Bytes}, {"bytes_l2", Bytes}, {"bytes_dram", Bytes}});
    EXPECT_NEAR(H.power(AI) / E.PowerW, 1, 1e-12);
    EXPECT_NEAR(H.energy(Flops, AI) / E.EnergyJ, 1, 1e-12);
  }
  M.Fit.Corrects.emplace();
  EXPECT_THAT(cacheRoofs(M, M.defaultSetting(), "flops_f64").Unknown,
              testing::Contains(testing::HasSubstr("the correction that predictions have")));
}

TEST(CacheRoofs, NamesWhatTheProfileDoesNotSay) {
  Machine M = threeLevels();
  EXPECT_THAT(cacheRoofs(M, M.defaultSetting(), "flops_f32").Unknown,
              ElementsAre("rate of flops_f32"));
  M.Power.Energies.clear();
  M.Power.Constant = {};
  M.Timing.Throughputs.erase("bytes_l2");
  const CacheRoofs Bare = cacheRoofs(M, M.defaultSetting(), "flops_f64");
  ASSERT_EQ(Bare.Levels.size(), 2u);
  EXPECT_TRUE(Bare.Levels[0].Hills.empty());
  EXPECT_THAT(Bare.Unknown, ElementsAre("constant power of the machine", "energy of flops_f64"));
}
