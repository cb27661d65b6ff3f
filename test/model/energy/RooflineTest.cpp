//===- RooflineTest.cpp - time, energy and power from counts --------------===//
//
// Numbers that "A roofline model of energy" (Choi et al. 2013) prints, and its
// equations held against each other: each identity below has one side that the
// code computes and another that is written out here in another form.
//
//===----------------------------------------------------------------------===//

#include "model/energy/Roofline.h"
#include "model/energy/Cost.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>

using namespace ergon;

static RooflineParameters parameters(double FlopsPerS, double BytesPerS, double EpsFlop,
                                     double EpsMem, double Pi0,
                                     std::optional<double> Cap = std::nullopt) {
  return {1 / FlopsPerS, 1 / BytesPerS, EpsFlop, EpsMem, Pi0, Cap};
}

// Tables II, III and IV of the 2013 paper.
static const RooflineParameters Fermi = parameters(515e9, 144e9, 25e-12, 360e-12, 0);
static const RooflineParameters Gtx580Double = parameters(197.63e9, 192.4e9, 212e-12, 513e-12, 122);
static const RooflineParameters Gtx580Single =
    parameters(1581.06e9, 192.4e9, 99.7e-12, 513e-12, 122);
static const RooflineParameters I7Double = parameters(53.28e9, 25.6e9, 670e-12, 795e-12, 122);
static const RooflineParameters I7Single = parameters(106.56e9, 25.6e9, 371e-12, 795e-12, 122);
static const RooflineParameters All[] = {Fermi, Gtx580Double, Gtx580Single, I7Double, I7Single};

static constexpr double Intensities[] = {1e-6, 0.1, 0.9, 1, 2.08125, 3.7, 8.2, 64, 1e9};
static constexpr double W = 1e12;

static std::string printed(double Value, int Digits) {
  char Text[64];
  std::snprintf(Text, sizeof(Text), "%.*f", Digits, Value);
  return Text;
}

TEST(Roofline, PrintedBalances) {
  EXPECT_EQ(printed(Fermi.timeBalance(), 1), "3.6");    // Table II
  EXPECT_EQ(printed(Fermi.energyBalance(), 1), "14.4"); // Table II
  EXPECT_EQ(printed(Gtx580Double.timeBalance(), 2), "1.03");
  EXPECT_EQ(printed(Gtx580Single.timeBalance(), 1), "8.2");
  EXPECT_EQ(printed(Gtx580Double.energyBalance(), 2), "2.42");
  EXPECT_EQ(printed(Gtx580Single.energyBalance(), 1), "5.1");
  EXPECT_EQ(printed(I7Double.timeBalance(), 2), "2.08");
  EXPECT_EQ(printed(I7Single.timeBalance(), 2), "4.16");
  EXPECT_EQ(printed(I7Double.energyBalance(), 2), "1.19");
  EXPECT_EQ(printed(I7Single.energyBalance(), 2), "2.14");
}

TEST(Roofline, PrintedFermiTimes) {
  EXPECT_EQ(printed(Fermi.TauFlop * 1e12, 1), "1.9"); // ps per flop, Table II
  EXPECT_EQ(printed(Fermi.TauMem * 1e12, 1), "6.9");  // ps per byte, Table II
}

// Fig. 2b: with π0 = 0 the power line starts at B_ε/B_τ = 4.0 and peaks one above
// it, in units of π_flop.
TEST(Roofline, PrintedPowerLineOfFermi) {
  EXPECT_EQ(printed(Fermi.powerline(1e-9) / Fermi.flopPower(), 1), "4.0");
  EXPECT_EQ(printed(Fermi.powerline(Fermi.timeBalance()) / Fermi.flopPower(), 1), "5.0");
  EXPECT_EQ(printed(Fermi.powerline(1e9) / Fermi.flopPower(), 1), "1.0");
}

// Section V-B prints 387 W for this peak; the coefficients of Table IV give 378
// (99.7 pJ · 1581.06 G/s + 513 pJ · 192.4 G/s + 122 W = 157.6 + 98.7 + 122).
TEST(Roofline, PeakPowerOfTheGtx580InSinglePrecision) {
  EXPECT_EQ(printed(Gtx580Single.powerBound(), 0), "378");
  EXPECT_NEAR(Gtx580Single.powerline(Gtx580Single.timeBalance()), Gtx580Single.powerBound(), 1e-9);
}

TEST(Roofline, Equation3AgainstEquation1) {
  for (const RooflineParameters &R : All)
    for (double I : Intensities) {
      const double T = std::max(W * R.TauFlop, W / I * R.TauMem); // eq. 1
      EXPECT_NEAR(W * R.TauFlop / R.roofline(I) / T, 1, 1e-12);   // eq. 3
      EXPECT_NEAR(R.time(W, W / I) / T, 1, 1e-12);
    }
}

TEST(Roofline, Equation5AgainstEquation4) {
  for (const RooflineParameters &R : All)
    for (double I : Intensities) {
      const double T = std::max(W * R.TauFlop, W / I * R.TauMem);
      const double E = W * R.EpsFlop * (1 + R.energyBalance() / I + R.Pi0 / R.EpsFlop * T / W);
      EXPECT_NEAR(W * R.fullEnergyPerFlop() * (1 + R.effectiveBalance(I) / I) / E, 1, 1e-12);
      EXPECT_NEAR(W * R.fullEnergyPerFlop() / R.archLine(I) / E, 1, 1e-12);
      EXPECT_NEAR(R.energy(W, W / I) / E, 1, 1e-12);
    }
}

TEST(Roofline, Equation7AgainstEnergyOverTime) {
  for (const RooflineParameters &R : All)
    for (double I : Intensities) {
      const double T = std::max(W * R.TauFlop, W / I * R.TauMem);
      const double E = W * R.EpsFlop + W / I * R.EpsMem + R.Pi0 * T;
      EXPECT_NEAR(R.powerline(I) / (E / T), 1, 1e-12);
      EXPECT_NEAR(R.power(W, W / I) / (E / T), 1, 1e-12);
    }
}

TEST(Roofline, Equation8IsTheTopOfThePowerLine) {
  for (const RooflineParameters &R : All) {
    EXPECT_NEAR(R.powerline(R.timeBalance()) / R.powerBound(), 1, 1e-12);
    for (double I : Intensities)
      EXPECT_LE(R.powerline(I), R.powerBound() * (1 + 1e-12));
  }
  EXPECT_NEAR(Fermi.powerBound(),
              Fermi.flopPower() * (1 + Fermi.energyBalance() / Fermi.timeBalance()), 1e-9);
}

/// The intensity at which the energy of eq. 4 is twice that of the flops alone,
/// by bisection: what fig. 4 marks on the arch line at y = 1/2.
static double halfEfficiency(const RooflineParameters &R) {
  double Low = 1e-6, High = 1e6;
  for (int Step = 0; Step != 200; ++Step) {
    const double I = std::sqrt(Low * High);
    const double E = R.EpsFlop + R.EpsMem / I + R.Pi0 * std::max(R.TauFlop, R.TauMem / I);
    (E > 2 * (R.EpsFlop + R.Pi0 * R.TauFlop) ? Low : High) = I;
  }
  return Low;
}

TEST(Roofline, BalancePointIsWhereTheArchLineIsOneHalf) {
  for (const RooflineParameters &R : All) {
    EXPECT_NEAR(R.balancePoint() / halfEfficiency(R), 1, 1e-9);
    EXPECT_NEAR(R.archLine(R.balancePoint()), 0.5, 1e-12);
    EXPECT_NEAR(R.effectiveBalance(R.balancePoint()) / R.balancePoint(), 1, 1e-12);
  }
  // Worked out by hand from Tables III and IV. All lie below the time balance, as
  // section V-B says of them; double precision on the GPU only because of π0.
  EXPECT_EQ(printed(Gtx580Double.balancePoint(), 2), "0.79");
  EXPECT_EQ(printed(Gtx580Single.balancePoint(), 1), "4.5");
  EXPECT_EQ(printed(I7Double.balancePoint(), 2), "1.06");
  EXPECT_EQ(printed(I7Single.balancePoint(), 2), "2.09");
  for (const RooflineParameters &R : {Gtx580Double, Gtx580Single, I7Double, I7Single})
    EXPECT_LT(R.balancePoint(), R.timeBalance());
  EXPECT_GT(Gtx580Double.energyBalance(), Gtx580Double.timeBalance());
  EXPECT_DOUBLE_EQ(Fermi.balancePoint(), Fermi.energyBalance());
}

TEST(Roofline, LimitsOfIntensity) {
  constexpr double Infinite = std::numeric_limits<double>::infinity();
  for (const RooflineParameters &R : All) {
    EXPECT_DOUBLE_EQ(R.roofline(Infinite), 1);
    EXPECT_DOUBLE_EQ(R.archLine(Infinite), 1);
    EXPECT_NEAR(R.powerline(Infinite), R.EpsFlop / R.TauFlop + R.Pi0, 1e-9);
    EXPECT_DOUBLE_EQ(R.archLine(0), 0);
    EXPECT_NEAR(R.powerline(0), R.EpsMem / R.TauMem + R.Pi0, 1e-9);
    EXPECT_EQ(R.power(0, 0), 0);
  }
}

TEST(Roofline, PowerCapStretchesTimeUntilPowerIsTheCap) {
  RooflineParameters Capped = Gtx580Single;
  Capped.PowerCap = 244;
  for (double I : Intensities) {
    const double Free = Gtx580Single.power(W, W / I);
    EXPECT_NEAR(Capped.power(W, W / I), std::min(244.0, Free), 1e-9);
    // Same dynamic energy; a capped run pays constant power for longer.
    EXPECT_NEAR(Capped.energy(W, W / I) - 122 * Capped.time(W, W / I),
                Gtx580Single.energy(W, W / I) - 122 * Gtx580Single.time(W, W / I), 1e-9);
  }
  // At the time balance 256.3 W of dynamic power have to fit into 122 W.
  const double Q = W / Capped.timeBalance();
  EXPECT_EQ(printed(Capped.time(W, Q) / Gtx580Single.time(W, Q), 2), "2.10");
  // Streaming alone stays below the cap and is not slowed.
  EXPECT_EQ(Capped.time(0, W), Gtx580Single.time(0, W));
}

TEST(Roofline, Equation10IsWhereTheGreenupIsOne) {
  for (double I : {0.5, 1.0, 3.6, 20.0})
    for (double M : {1.5, 4.0, 1e9}) {
      const double F = Fermi.greenupLimit(I, M);
      EXPECT_NEAR(Fermi.greenup(W, W / I, F, M), 1, 1e-9);
      EXPECT_GT(Fermi.greenup(W, W / I, 0.99 * F, M), 1);
      EXPECT_LT(Fermi.greenup(W, W / I, 1.01 * F, M), 1);
    }
  // Upper limit for M → ∞: 1 + B_ε/I, at I = B_τ 1 + 14.4/3.58 = 5.03.
  EXPECT_EQ(printed(Fermi.greenupLimit(Fermi.timeBalance(), 1e15), 2), "5.03");
  EXPECT_DOUBLE_EQ(Gtx580Double.greenup(W, W, 1, 1), 1);
}

//===----------------------------------------------------------------------===//
// Any number of classes
//===----------------------------------------------------------------------===//

/// Table III and IV's GTX 580, and two classes with an energy or a rate alone.
static Machine gtx580() {
  Machine M;
  M.Timing.Throughputs["flops_f32"] = {{1581.06e9, "t"}, std::nullopt, 0};
  M.Timing.Throughputs["flops_f64"] = {{197.63e9, "t"}, std::nullopt, 0};
  M.Timing.Throughputs["bytes_dram"] = {{192.4e9, "t"}, std::nullopt, 0};
  M.Timing.Throughputs["branches"] = {{1e9, "t"}, std::nullopt, 0};
  M.Power.Energies["flops_f32"] = {{99.7e-12, "t"}, std::nullopt};
  M.Power.Energies["flops_f64"] = {{212e-12, "t"}, std::nullopt};
  M.Power.Energies["bytes_dram"] = {{513e-12, "t"}, std::nullopt};
  M.Power.Energies["bytes_l2"] = {{187e-12, "t"}, std::nullopt};
  M.Power.Constant.MiscW = Quantity{122, "t"};
  return M;
}

TEST(Estimate, IsTheTwoParameterModelForOneKindOfFlop) {
  Machine M = gtx580();
  for (bool Capped : {false, true}) {
    if (Capped)
      M.Power.Cap = Quantity{244, "t"};
    const auto R = rooflineParameters(M, M.defaultSetting(), "flops_f32");
    ASSERT_TRUE(R);
    EXPECT_EQ(R->PowerCap.has_value(), Capped);
    for (double I : Intensities) {
      const Estimate E = estimate(M, M.defaultSetting(), {{"flops_f32", W}, {"bytes_dram", W / I}});
      EXPECT_DOUBLE_EQ(E.TimeS, R->time(W, W / I));
      EXPECT_DOUBLE_EQ(E.EnergyJ, R->energy(W, W / I));
      EXPECT_DOUBLE_EQ(E.PowerW, R->power(W, W / I));
    }
  }
}

TEST(Estimate, NamesTheBound) {
  Machine M = gtx580();
  auto Bound = [&](const std::map<std::string, double> &Counts) {
    return estimate(M, M.defaultSetting(), Counts).Bound;
  };
  EXPECT_EQ(Bound({{"flops_f64", 1e9}, {"bytes_dram", 1e9}}), "dram"); // I = 1 is below 1.03
  EXPECT_EQ(Bound({{"flops_f64", 1e9}, {"bytes_dram", 0.9e9}}), "flops_f64");
  EXPECT_EQ(Bound({{"bytes_dram", 1}}), "dram");
  EXPECT_EQ(Bound({{"branches", 1e9}, {"flops_f32", 1e9}}), "branches");
  M.Power.Cap = Quantity{244, "t"};
  EXPECT_EQ(Bound({{"flops_f32", 8.2e9}, {"bytes_dram", 1e9}}), "power_cap");
  EXPECT_EQ(Bound({{"flops_f64", 1e9}}), "flops_f64");
}

TEST(Estimate, FlopsOfAllTypesShareTheirUnits) {
  const Machine M = gtx580();
  // 1 s of single and 2 s of double precision against 2.5 s of traffic.
  const Estimate E = estimate(
      M, M.defaultSetting(),
      {{"flops_f32", 1581.06e9}, {"flops_f64", 2 * 197.63e9}, {"bytes_dram", 2.5 * 192.4e9}});
  EXPECT_NEAR(E.TimeS, 3, 1e-12);
  EXPECT_EQ(E.Bound, "flops_f64");
}

TEST(Estimate, BreakdownAddsUp) {
  const Machine M = gtx580();
  const Estimate E =
      estimate(M, M.defaultSetting(), {{"flops_f64", 2e9}, {"bytes_dram", 1e9}, {"bytes_l2", 4e9}});
  double Sum = 0;
  for (const auto &[Class, Joules] : E.BreakdownJ)
    Sum += Joules;
  EXPECT_DOUBLE_EQ(Sum, E.EnergyJ);
  EXPECT_DOUBLE_EQ(E.BreakdownJ.at("flops_f64"), 2e9 * 212e-12);
  EXPECT_DOUBLE_EQ(E.BreakdownJ.at("bytes_l2"), 4e9 * 187e-12);
  EXPECT_DOUBLE_EQ(E.BreakdownJ.at("constant"), 122 * E.TimeS);
  EXPECT_DOUBLE_EQ(E.PowerW, E.EnergyJ / E.TimeS);
}

TEST(Estimate, ListsWhatTheProfileDoesNotPrice) {
  Machine M = gtx580();
  M.Power.Energies["flops_f16"] = {{1e-12, "t"}, std::nullopt}; // work that has no rate
  const Estimate E = estimate(M, M.defaultSetting(),
                              {{"flops_f16", 1},
                               {"flops_f80", 1},
                               {"flops_f128", 0},
                               {"flops_f64", 1},
                               {"int_ops", 5},
                               {"branches", 5},
                               {"bytes_l2", 5},
                               {"calls", 0}});
  EXPECT_EQ(E.Missing, (std::vector<std::string>{"flops_f16", "flops_f80"}));
  EXPECT_EQ(E.Unpriced, (std::vector<std::string>{"branches", "int_ops"}));
  EXPECT_EQ(E.Untimed, (std::vector<std::string>{"bytes_l2"}));
  M.Timing.Throughputs.erase("bytes_dram");
  EXPECT_EQ(estimate(M, M.defaultSetting(), {{"bytes_dram", 1}}).Missing,
            std::vector<std::string>{"bytes_dram"});
  EXPECT_FALSE(rooflineParameters(M, M.defaultSetting(), "flops_f64"));
}

TEST(Estimate, ConstantPowerThatNeedsAVoltageIsMissedWithoutOne) {
  Machine M = gtx580();
  M.Power.Constant.CoreWPerV = Quantity{1, "t"};
  EXPECT_EQ(estimate(M, M.defaultSetting(), {{"flops_f64", 1}}).Missing,
            std::vector<std::string>{"constant"});
}

TEST(Estimate, NothingCostsNothing) {
  Machine M = gtx580();
  M.Power.Cap = Quantity{244, "t"};
  for (const std::map<std::string, double> &Counts :
       {std::map<std::string, double>{}, {{"flops_f64", 0}, {"bytes_dram", 0}, {"calls", 0}}}) {
    const Estimate E = estimate(M, M.defaultSetting(), Counts);
    EXPECT_EQ(E.TimeS, 0);
    EXPECT_EQ(E.EnergyJ, 0);
    EXPECT_EQ(E.PowerW, 0);
    EXPECT_EQ(E.Bound, "none");
    EXPECT_TRUE(E.Missing.empty() && E.Unpriced.empty() && E.Untimed.empty());
  }
}

TEST(Estimate, ACapBelowConstantPowerTakesForever) {
  Machine M = gtx580();
  M.Power.Cap = Quantity{100, "t"};
  const Estimate E = estimate(M, M.defaultSetting(), {{"flops_f64", 1}});
  EXPECT_TRUE(std::isinf(E.TimeS));
  EXPECT_EQ(E.Bound, "power_cap");
}

//===----------------------------------------------------------------------===//
// Partial overlap
//===----------------------------------------------------------------------===//

/// A second for each unit of three classes, and a joule for each flop.
static Machine secondsEach(double Exponent) {
  Machine M;
  for (const char *Class : {"flops_f32", "flops_f64", "bytes_dram"})
    M.Timing.Throughputs[Class].PerS.Value = 1;
  M.Power.Energies["flops_f32"].Coefficient.Value = 1;
  M.Power.Constant.MiscW = Quantity{2, ""};
  M.Timing.OverlapExponent = Quantity{Exponent, ""};
  return M;
}

TEST(Overlap, IsThePNormOfTheClassesTimes) {
  auto TimeOf = [](double Exponent, const std::map<std::string, double> &Counts) {
    return estimate(secondsEach(Exponent), {}, Counts).TimeS;
  };
  EXPECT_DOUBLE_EQ(TimeOf(2, {{"flops_f32", 3}, {"bytes_dram", 4}}), 5);
  EXPECT_DOUBLE_EQ(TimeOf(2, {{"flops_f32", 1}, {"flops_f64", 2}, {"bytes_dram", 2}}), 3);
  EXPECT_DOUBLE_EQ(TimeOf(1, {{"flops_f32", 3}, {"flops_f64", 2}, {"bytes_dram", 4}}), 9);
  EXPECT_DOUBLE_EQ(TimeOf(3, {{"flops_f32", 3}, {"flops_f64", 4}, {"bytes_dram", 5}}), 6);
  EXPECT_NEAR(TimeOf(500, {{"flops_f32", 3e-200}, {"bytes_dram", 4e-200}}), 4e-200, 1e-210);
  EXPECT_EQ(TimeOf(2, {{"flops_f32", 0}}), 0);
}

TEST(Overlap, BoundEnergyAndCap) {
  Machine M = secondsEach(2);
  const Estimate E = estimate(M, {}, {{"flops_f32", 3}, {"bytes_dram", 4}});
  EXPECT_EQ(E.Bound, "dram");
  EXPECT_DOUBLE_EQ(E.EnergyJ, 3 + 2 * 5);
  EXPECT_EQ(estimate(M, {}, {{"flops_f32", 5}, {"bytes_dram", 4}}).Bound, "flops_f32");
  M.Power.Cap = Quantity{2.5, ""}; // 3 J above constant power take 6 s at least
  const Estimate Capped = estimate(M, {}, {{"flops_f32", 3}, {"bytes_dram", 4}});
  EXPECT_DOUBLE_EQ(Capped.TimeS, 6);
  EXPECT_EQ(Capped.Bound, "power_cap");
}

/// Bytes cost energy here too: 1 J a flop and 1 J a byte, 4 flops, up to 8 bytes.
TEST(Overlap, PowerIsHighestWhereItsSlopeIsZero) {
  Machine M = secondsEach(2);
  M.Power.Energies["bytes_dram"].Coefficient.Value = 1;
  const std::string Classes[] = {"flops_f32", "bytes_dram"};
  const SettingCosts Costs(M, {}, Classes);
  Piece P;
  P.Least = {4, 0};
  P.Most = {4, 8};
  // (4 + q)/sqrt(16 + q²) has its maximum at q = 4.
  const auto Share = turningPoint(Costs, P);
  ASSERT_TRUE(Share);
  EXPECT_NEAR(*Share, 0.5, 1e-3);
  P.Most = {4, 3};
  EXPECT_EQ(turningPoint(Costs, P), std::nullopt); // power rises all the way
}

// Where a byte of main memory has the price of its way through L2 in its own, those of L2's bytes
// that come from there are paid once: 60 B of 100 from main memory at 5 J, the other 40 at 2 J.
TEST(Roofline, BytesPaidWhereServedArePaidOnce) {
  Machine M;
  M.Power.Energies["bytes_l2"] = {{2, "s"}, std::nullopt};
  M.Power.Energies["bytes_dram"] = {{5, "s"}, std::nullopt};
  const std::map<std::string, double> Counts = {{"bytes_l2", 100}, {"bytes_dram", 60}};
  M.Power.BytesPaid = ByteEnergy::WhereServed;
  EXPECT_DOUBLE_EQ(estimate(M, {}, Counts).EnergyJ, 60 * 5 + 40 * 2);
  M.Power.BytesPaid = ByteEnergy::AtEachLevel;
  EXPECT_DOUBLE_EQ(estimate(M, {}, Counts).EnergyJ, 60 * 5 + 100 * 2);
  M.Power.BytesPaid = ByteEnergy::WhereServed; // nothing is known of L2: all of the price
  EXPECT_DOUBLE_EQ(estimate(M, {}, {{"bytes_dram", 60}}).EnergyJ, 60 * 5);
}
