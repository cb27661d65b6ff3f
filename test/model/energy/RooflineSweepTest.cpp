//===- RooflineSweepTest.cpp - the energy roofline from end to end --------===//
//
// Tables II to IV of "A roofline model of energy" (Choi et al. 2013) as the shipped
// profiles have them, and its equations over intensities from almost none to
// infinite, on its machines and on a thousand others. Energies on the other side are
// written out here as eq. 2 has them; limits are found by bisection.
//
//===----------------------------------------------------------------------===//

#include "formats/profile/ProfileFormat.h"
#include "model/energy/Roofline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

using namespace ergon;

static constexpr double Infinite = std::numeric_limits<double>::infinity();

static Machine shipped(const std::string &Name) {
  const std::string File = std::string(ERGON_SOURCE_DIR "/machine-profiles/") + Name + ".json";
  auto M = parseProfile(readTextFile(File).value_or(""));
  EXPECT_TRUE(M) << Name;
  return M.value_or(Machine());
}

static RooflineParameters parameters(const std::string &Name, const std::string &Class) {
  const Machine M = shipped(Name);
  auto R = rooflineParameters(M, M.defaultSetting(), Class);
  EXPECT_TRUE(R);
  return R.value_or(RooflineParameters());
}

static std::string printed(double Value, int Digits) {
  char Text[64];
  std::snprintf(Text, sizeof(Text), "%.*f", Digits, Value);
  return Text;
}

/// The machines of the paper, then a thousand whose costs lie decades around them.
static std::vector<RooflineParameters> machines() {
  std::vector<RooflineParameters> Result = {
      parameters("fermi", "flops_f64"), parameters("gtx580", "flops_f64"),
      parameters("gtx580", "flops_f32"), parameters("i7-950", "flops_f64"),
      parameters("i7-950", "flops_f32")};
  std::mt19937 Numbers(2013); // the same on every machine
  auto Decades = [&](double From, double To) {
    return std::pow(10, From + (To - From) * (Numbers() / 4294967296.0));
  };
  for (int I = 0; I != 1000; ++I)
    Result.push_back({Decades(-14, -9), Decades(-13, -8), Decades(-13, -8), Decades(-12, -7),
                      I % 4 ? Decades(-2, 3) : 0.0, std::nullopt});
  for (RooflineParameters &R : Result)
    R.PowerCap.reset();
  return Result;
}

static constexpr double Work = 1e12;

/// E of eq. 2 with T of eq. 1.
static double energyOf(const RooflineParameters &R, double W, double Q) {
  return W * R.EpsFlop + Q * R.EpsMem + R.Pi0 * std::max(W * R.TauFlop, Q * R.TauMem);
}

TEST(Tables, TwoToFourOf2013) {
  struct Row {
    const char *Machine, *Class;
    const char *FlopsPerNs, *BytesPerNs; // Tables II and III, G/s
    int FlopsDigits;
    const char *FlopPj, *BytePj, *Pi0W; // Tables II and IV
    int FlopDigits;
  };
  const Row Rows[] = {
      {"fermi", "flops_f64", "515", "144.0", 0, "25", "360", "0", 0},
      {"gtx580", "flops_f32", "1581.06", "192.4", 2, "99.7", "513", "122", 1},
      {"gtx580", "flops_f64", "197.63", "192.4", 2, "212", "513", "122", 0},
      {"i7-950", "flops_f32", "106.56", "25.6", 2, "371", "795", "122", 0},
      {"i7-950", "flops_f64", "53.28", "25.6", 2, "670", "795", "122", 0},
  };
  for (const Row &Element : Rows) {
    const RooflineParameters R = parameters(Element.Machine, Element.Class);
    EXPECT_EQ(printed(1e-9 / R.TauFlop, Element.FlopsDigits), Element.FlopsPerNs);
    EXPECT_EQ(printed(1e-9 / R.TauMem, 1), Element.BytesPerNs);
    EXPECT_EQ(printed(R.EpsFlop * 1e12, Element.FlopDigits), Element.FlopPj);
    EXPECT_EQ(printed(R.EpsMem * 1e12, 0), Element.BytePj);
    EXPECT_EQ(printed(R.Pi0, 0), Element.Pi0W);
  }
  EXPECT_EQ(shipped("gtx580").Power.Cap->Value, 244);                  // section V-B
  EXPECT_EQ(shipped("gtx580").energyPerUnit("bytes_l1", {}), 187e-12); // section V-C
}

TEST(Sweep, Equation5AgainstEquation4Everywhere) {
  for (const RooflineParameters &R : machines()) {
    for (double Log = -60; Log <= 60; Log += 0.5) {
      const double I = std::exp2(Log), E = energyOf(R, Work, Work / I);
      EXPECT_NEAR(Work * R.fullEnergyPerFlop() * (1 + R.effectiveBalance(I) / I) / E, 1, 1e-12);
      EXPECT_NEAR(Work * R.fullEnergyPerFlop() / R.archLine(I) / E, 1, 1e-12);
      EXPECT_NEAR(R.energy(Work, Work / I) / E, 1, 1e-12);
    }
    // At the corner itself, and at both ends: bytes alone, flops alone.
    const double B = R.timeBalance();
    EXPECT_NEAR(Work * R.fullEnergyPerFlop() * (1 + R.effectiveBalance(B) / B) /
                    energyOf(R, Work, Work / B),
                1, 1e-12);
    EXPECT_NEAR(R.archLine(Infinite), 1, 1e-15);
    EXPECT_NEAR(R.energy(Work, 0) / (Work * (R.EpsFlop + R.Pi0 * R.TauFlop)), 1, 1e-12);
    EXPECT_EQ(R.archLine(0), 0);
    // I → 0: I·E/W of eq. 5 goes to the energy of a byte, that of the flops' share aside.
    EXPECT_NEAR(R.fullEnergyPerFlop() * R.effectiveBalance(0) / (R.EpsMem + R.Pi0 * R.TauMem), 1,
                1e-12);
    EXPECT_NEAR(R.energy(0, Work) / (Work * (R.EpsMem + R.Pi0 * R.TauMem)), 1, 1e-12);
  }
}

/// The F at which F·W flops and Q/M bytes cost as much energy as W and Q, by bisection.
static double limitByBisection(const RooflineParameters &R, double I, double M) {
  double Low = 0, High = 1;
  const double Q = Work / I, Baseline = energyOf(R, Work, Q);
  while (energyOf(R, High * Work, Q / M) < Baseline)
    High *= 2;
  for (int Step = 0; Step != 200; ++Step) {
    const double Middle = (Low + High) / 2;
    (energyOf(R, Middle * Work, Q / M) < Baseline ? Low : High) = Middle;
  }
  return Low;
}

TEST(Sweep, GreenupLimitsAgainstTheInequality) {
  int WithoutPi0 = 0;
  for (const RooflineParameters &R : machines())
    for (double Log : {-8.0, -2.0, -0.5, 0.0, 0.5, 2.0, 8.0})
      for (double M : {1.0, 1.01, 2.0, 100.0, 1e9, Infinite}) {
        const double I = R.timeBalance() * std::exp2(Log);
        const double Limit = R.greenupLimit(I, M);
        // Bisection finds it to the last digits of the energies that it compares.
        const double Digits = energyOf(R, Work, Work / I) / (Work * Limit * R.EpsFlop) * 1e-15;
        EXPECT_NEAR(Limit / limitByBisection(R, I, M), 1, 1e-12 + Digits);
        if (R.Pi0 != 0)
          continue;
        ++WithoutPi0; // eq. 10 as printed, and its limits as m goes to infinity
        const double Kept = std::isinf(M) ? 1 : (M - 1) / M;
        EXPECT_NEAR(Limit / (1 + Kept * R.EpsMem / R.EpsFlop / I), 1, 1e-12);
        EXPECT_LE(Limit, (1 + R.energyBalance() / I) * (1 + 1e-12));
        if (I >= R.timeBalance())
          EXPECT_LE(Limit, (1 + R.energyBalance() / R.timeBalance()) * (1 + 1e-12));
      }
  EXPECT_GT(WithoutPi0, 10000);
  // Fermi, by hand: 1 + 14.4/(515/144) for a baseline at B_τ without any traffic left.
  const RooflineParameters Fermi = parameters("fermi", "flops_f64");
  EXPECT_NEAR(Fermi.greenupLimit(Fermi.timeBalance(), Infinite), 1 + 14.4 * 144 / 515, 1e-12);
}

TEST(PowerCap, TheGtx580Has378WattsWhereTheTextPrints387) {
  const RooflineParameters R = parameters("gtx580", "flops_f32");
  // Tables III and IV: 99.7 pJ·1581.06 G/s + 513 pJ·192.4 G/s + 122 W, in watts.
  EXPECT_EQ(printed(157.631682 + 98.7012 + 122, 3), "378.333");
  EXPECT_EQ(printed(R.powerBound(), 3), "378.333");
  EXPECT_EQ(printed(R.powerline(R.timeBalance()), 3), "378.333");
  EXPECT_GT(387 - R.powerBound(), 8); // no rounding makes section V-B's number of it
}

TEST(PowerCap, Of244WattsOverAllIntensities) {
  const RooflineParameters Capped = parameters("gtx580", "flops_f32");
  RooflineParameters Free = Capped;
  Free.PowerCap.reset();
  ASSERT_EQ(Capped.PowerCap, 244);
  for (double Log = -40; Log <= 40; Log += 0.125) {
    const double I = std::exp2(Log), Q = Work / I;
    const double Dynamic = Work * 99.7e-12 + Q * 513e-12;
    const double T = std::max({Work / 1581.06e9, Q / 192.4e9, Dynamic / (244 - 122)});
    EXPECT_NEAR(Capped.time(Work, Q) / T, 1, 1e-12);
    EXPECT_NEAR(Capped.energy(Work, Q) / (Dynamic + 122 * T), 1, 1e-12);
    EXPECT_LE(Capped.power(Work, Q), 244 * (1 + 1e-12));
    EXPECT_NEAR(Capped.stretch(I) * Free.time(Work, Q) / T, 1, 1e-12);
    // Only time is stretched: the joules of flops and bytes are what they were.
    EXPECT_GE(Capped.energy(Work, Q), Free.energy(Work, Q) * (1 - 1e-12));
    EXPECT_EQ(Capped.stretch(I) > 1 + 1e-12, Free.power(Work, Q) > 244 * (1 + 1e-12));
  }
  // From where flops fill the 23.3 W that bytes leave of 122 W; flops alone, 157.6 W, are
  // above the cap, as the paper saw "at high intensities".
  const auto Range = Capped.cappedIntensities();
  ASSERT_TRUE(Range);
  EXPECT_NEAR(Range->first, 1581.06 / 192.4 * (122 - 98.7012) / 157.631682, 1e-9);
  EXPECT_EQ(Range->second, Infinite);
  EXPECT_EQ(printed(Capped.stretch(Capped.timeBalance()), 3), "2.101"); // 256.33 W in 122 W
  EXPECT_EQ(printed(Capped.stretch(Infinite), 3), "1.292");
  // In double precision the hill is 262.6 W high: the cap binds around the ridge alone.
  const RooflineParameters Double = parameters("gtx580", "flops_f64");
  const auto Narrow = Double.cappedIntensities();
  ASSERT_TRUE(Narrow);
  EXPECT_NEAR(Double.powerline(Narrow->first), 244, 1e-9);
  EXPECT_NEAR(Double.powerline(Narrow->second), 244, 1e-9);
  EXPECT_LT(Narrow->first, Double.timeBalance());
  EXPECT_GT(Narrow->second, Double.timeBalance());
  EXPECT_FALSE(Free.cappedIntensities());
  EXPECT_EQ(Free.stretch(8), 1);
  Free.PowerCap = 400;
  EXPECT_FALSE(Free.cappedIntensities());
}
