//===- SampleChecksTest.cpp - whether samples make sense ------------------===//

#include "model/fit/SampleChecks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace ergon;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

static Sample row(std::string Workload, double Mhz, double TimeS, double EnergyJ,
                  std::vector<std::optional<double>> Counts) {
  Sample Row;
  Row.Workload = std::move(Workload);
  Row.Clocks.CoreMhz = Mhz;
  Row.TimeS = TimeS;
  Row.EnergyJ = EnergyJ;
  Row.Counts = std::move(Counts);
  return Row;
}

static void number(Samples &S) {
  for (std::size_t K = 0; K != S.Rows.size(); ++K)
    S.Rows[K].Line = K + 2;
}

/// Four workloads of different mixtures at three clocks; nothing is wrong with them.
/// Flops take cycles, bytes take time.
static Samples good() {
  Samples S{{"flops_f64", "bytes_dram"}, {}};
  for (int W = 0; W != 4; ++W)
    for (double Mhz : {500.0, 750.0, 1000.0, 1500.0}) {
      const double Flops = 1e9 * (W < 3 ? W + 4 : 1), Bytes = 1e9 * (W < 3 ? 1 + W % 2 : 8);
      const double TimeS = std::max(Flops / (Mhz * 1e6), Bytes / 8e8);
      S.Rows.push_back(row("w" + std::to_string(W), Mhz, TimeS,
                           20 * TimeS + 1e-9 * Flops + 2e-9 * Bytes, {Flops, Bytes}));
    }
  number(S);
  return S;
}

/// The findings, each as "id: text", an error with a mark before it.
static std::vector<std::string> found(Samples &S) {
  std::vector<std::string> Result;
  for (const SampleFinding &F : checkSamples(S).Findings) {
    EXPECT_EQ(F.Text.find('\n'), std::string::npos);
    Result.push_back((F.Level == Severity::Error ? "!" : "") + F.Id + ": " + F.Text);
  }
  return Result;
}

TEST(SampleChecks, LeaveGoodSamplesAlone) {
  Samples S = good();
  EXPECT_THAT(found(S), IsEmpty());
  EXPECT_THAT(S.Rows, SizeIs(16));
  EXPECT_THAT(S.Classes, SizeIs(2));
  EXPECT_EQ(S.Rows[0].Clocks.ActualCoreMhz, std::nullopt);
}

TEST(SampleChecks, Units) {
  struct Case {
    void (*Change)(Sample &);
    const char *Says;
  };
  const Case Cases[] = {
      {[](Sample &R) { *R.Clocks.CoreMhz /= 1000; },
       "!units: lines 2, 3, 4, 5, 6 and 11 more: core_mhz looks like GHz; write it in MHz"},
      {[](Sample &R) { *R.Clocks.CoreMhz *= 1e6; },
       "!units: lines 2, 3, 4, 5, 6 and 11 more: core_mhz looks like kHz or Hz; write it in MHz"},
      {[](Sample &R) { R.Clocks.MemMhz = 1.25; },
       "!units: lines 2, 3, 4, 5, 6 and 11 more: mem_mhz looks like GHz; write it in MHz"},
      {[](Sample &R) { R.Clocks.CoreMv = 1.1; },
       "!units: lines 2, 3, 4, 5, 6 and 11 more: core_mv looks like volts; write it in "
       "millivolts"},
      {[](Sample &R) { R.Clocks.MemMv = 1100000; },
       "!units: lines 2, 3, 4, 5, 6 and 11 more: mem_mv looks like microvolts; write it in "
       "millivolts"},
      {[](Sample &R) { *R.EnergyJ *= 1000; },
       "!power-too-high: lines 2, 3, 4, 5, 6 and 11 more: energy_j/time_s is above 2e+04 W, more "
       "than any machine draws; write energy in joules, time in seconds"},
      {[](Sample &R) { R.TimeS *= 1e6; },
       "!power-too-low: lines 2, 3, 4, 5, 6 and 11 more: energy_j/time_s is below 0.0001 W, less "
       "than any processor draws; write energy in joules, time in seconds"},
      {[](Sample &R) { R.TimeS *= 100; },
       "power-small: lines 2, 3, 4, 5, 6 and 11 more: energy_j/time_s is below 0.3 W; unless this "
       "is a small processor, is time in ms?"},
      {[](Sample &R) { *R.EnergyJ *= R.Line == 7 ? 500 : 1; },
       "!power-off: line 7: energy_j/time_s is more than 100 times off the median of the other "
       "rows; is energy in mJ or time in ms?"},
      {[](Sample &R) { R.TimeS *= R.Line == 7 || R.Line == 9 ? 1000 : 1; },
       "!power-off: lines 7 and 9: energy_j/time_s is more than 100 times off the median of the "
       "other rows; is energy in mJ or time in ms?"},
      {[](Sample &R) { *R.EnergyJ *= 100; },
       "power-above-a-board: lines 2, 3, 4, 5, 6 and 11 more: energy_j/time_s is above 1500 W, "
       "more than any board draws; unless this is a whole machine, is energy in mJ?"}};
  for (const Case &C : Cases) {
    Samples S = good();
    std::ranges::for_each(S.Rows, C.Change);
    EXPECT_THAT(found(S), testing::Contains(C.Says));
  }
}

TEST(SampleChecks, DuplicateRowsAndRepeats) {
  Samples S = good();
  S.Rows.push_back(S.Rows[1]);
  S.Rows.push_back(S.Rows[4]);
  S.Rows.push_back(S.Rows[1]);
  *S.Rows.back().EnergyJ *= 1.19; // a repeat
  S.Rows.push_back(S.Rows[2]);
  S.Rows.back().TimeS *= 0.8;
  number(S);
  EXPECT_THAT(found(S),
              ElementsAre("duplicate-rows: lines 18 and 19: the same as a row above: left out",
                          "repeats-differ: line 21: time or energy of the same workload and "
                          "setting is more than 20 % from that of a row above; check which one "
                          "is right"));
  EXPECT_THAT(S.Rows, SizeIs(18));
}

TEST(SampleChecks, BlanksAndZeros) {
  Samples S = good();
  S.Classes = {"flops_f64", "blank", "zero", "bytes_dram"};
  for (Sample &Row : S.Rows)
    Row.Counts = {Row.Counts[0], std::nullopt, 0, Row.Counts[1]};
  S.Rows[3].Counts[3] = std::nullopt;
  S.Rows[5].Counts[3] = std::nullopt;
  S.Rows[6].Counts[0] = S.Rows[6].Counts[3] = 0;
  EXPECT_THAT(found(S),
              ElementsAre("blank-classes: column blank: blank in every row: left out",
                          "blank-counts: 2 of 16 rows left out for blank counts: of bytes_dram (2)",
                          "zero-counts: line 8: all counts are 0, and not in other rows of the "
                          "workload: left out",
                          "zero-classes: column zero: 0 in every row: left out"));
  EXPECT_THAT(S.Classes, ElementsAre("flops_f64", "bytes_dram"));
  EXPECT_THAT(S.Rows, SizeIs(13));
  for (const Sample &Row : S.Rows)
    EXPECT_THAT(Row.Counts, SizeIs(2));
}

TEST(SampleChecks, AnIdleWorkloadIsAMeasurement) {
  Samples S = good();
  for (double Mhz : {500.0, 1000.0})
    S.Rows.push_back(row("idle", Mhz, 1, 20, {0, 0}));
  EXPECT_THAT(found(S), IsEmpty());
  EXPECT_THAT(S.Rows, SizeIs(18));
}

TEST(SampleChecks, NothingIsLeft) {
  Samples S = good();
  for (std::size_t K = 0; K != S.Rows.size(); ++K)
    S.Rows[K].Counts[K % 2] = std::nullopt;
  EXPECT_THAT(found(S), ElementsAre("!nothing-known: no row has all of its counts: blank are "
                                    "flops_f64 (8) and bytes_dram (8); fill them in, or leave "
                                    "out the columns that are not known"));
  S = good();
  for (Sample &Row : S.Rows)
    Row.Counts = {0, 0};
  EXPECT_THAT(found(S).back(), HasSubstr("!nothing-counted: every count is 0"));
}

TEST(SampleChecks, OneSettingAndFewWorkloads) {
  Samples S = good();
  std::erase_if(S.Rows, [](const Sample &Row) { return Row.Clocks.CoreMhz != 1000; });
  EXPECT_THAT(found(S), ElementsAre(HasSubstr("one-setting: all rows are at one setting")));
  S = good();
  std::erase_if(S.Rows, [](const Sample &Row) { return Row.Workload > "w1"; });
  EXPECT_THAT(found(S), testing::Contains(HasSubstr("few-workloads: there are 2 workloads")));
}

TEST(SampleChecks, VoltagesThatFall) {
  Samples S = good();
  for (Sample &Row : S.Rows) // 900 mV and noise of 2 mV, 890 at 1500 MHz
    Row.Clocks.CoreMv = Row.Clocks.CoreMhz == 1500 ? 890 : 900 + double(Row.Line % 3);
  EXPECT_THAT(found(S), ElementsAre("voltage-falls: core_mv falls from 901 at 1000 MHz to 890 at "
                                    "1500 MHz; check that the columns belong together"));
}

//===----------------------------------------------------------------------===//
// Clocks
//===----------------------------------------------------------------------===//

/// As if the core had run at 500/1.6 MHz where 500 was asked for, and the counts of flops
/// had come from activity and the clock that was asked for.
static Samples slowAt500() {
  Samples S = good();
  for (Sample &Row : S.Rows)
    if (Row.Clocks.CoreMhz == 500) {
      Row.TimeS *= Row.Workload == "w3" ? 1 : 1.6; // bound by memory
      *Row.Counts[0] *= 1.6;
    }
  return S;
}

TEST(EffectiveClocks, AreFoundFromCountsAndCycles) {
  Samples S = slowAt500();
  const Samples Wanted = good(), Before = S;
  EXPECT_THAT(found(S), ElementsAre("clock-not-as-asked: core_mhz 500: cycles and counts of the "
                                    "same workloads are 1.6 times those of other clocks, so the "
                                    "core ran at 312.5 MHz: taken as that, and divided by 1.6: "
                                    "flops_f64"));
  for (std::size_t K = 0; K != S.Rows.size(); ++K) {
    const Setting &Position = S.Rows[K].Clocks;
    EXPECT_NEAR(*Position.mhz(Domain::Core), *Position.CoreMhz == 500 ? 312.5 : *Position.CoreMhz,
                1e-9);
    EXPECT_NEAR(*S.Rows[K].Counts[0] / *Wanted.Rows[K].Counts[0], 1, 1e-12);
    EXPECT_EQ(S.Rows[K].Counts[1], Wanted.Rows[K].Counts[1]);
    EXPECT_EQ(S.Rows[K].TimeS, Before.Rows[K].TimeS);
    EXPECT_EQ(S.Rows[K].EnergyJ, Before.Rows[K].EnergyJ);
  }
}

/// With three clocks one that is off makes the others look off, until it is corrected.
TEST(EffectiveClocks, OneIsOffAmongThree) {
  Samples S = slowAt500();
  std::erase_if(S.Rows, [](const Sample &Row) { return Row.Clocks.CoreMhz == 750; });
  EXPECT_THAT(found(S), ElementsAre(HasSubstr("clock-not-as-asked: core_mhz 500")));
}

TEST(EffectiveClocks, EachMemoryClockIsASettingOfItsOwn) {
  Samples S = slowAt500(), Other = good();
  for (Sample &Row : S.Rows)
    Row.Clocks.MemMhz = 800;
  for (Sample &Row : Other.Rows) {
    Row.Clocks.MemMhz = 900;
    S.Rows.push_back(Row);
  }
  EXPECT_THAT(found(S), ElementsAre(HasSubstr("core_mhz 500 with mem_mhz 800: cycles")));
}

TEST(EffectiveClocks, OneSignAloneOnlyWarns) {
  Samples S = slowAt500(); // true counts
  for (Sample &Row : S.Rows)
    *Row.Counts[0] /= Row.Clocks.CoreMhz == 500 ? 1.6 : 1;
  Samples Before = S;
  EXPECT_THAT(found(S), ElementsAre("cycles-differ: core_mhz 500: workloads with the same cycles "
                                    "at other clocks take 1.6 times as many; did the core run at "
                                    "312.5 MHz? Taken as it stands"));
  EXPECT_EQ(S.Rows[0].Counts, Before.Rows[0].Counts);
  EXPECT_EQ(S.Rows[0].Clocks.ActualCoreMhz, std::nullopt);

  S = good(); // true clocks
  for (Sample &Row : S.Rows)
    *Row.Counts[1] *= Row.Clocks.CoreMhz == 1000 ? 0.5 : 1;
  Before = S;
  EXPECT_THAT(found(S), ElementsAre("counts-differ: core_mhz 1000: counts of the same workloads "
                                    "are not those of other clocks: bytes_dram (0.5 times); check "
                                    "how they were measured"));
  EXPECT_EQ(S.Rows[2].Counts, Before.Rows[2].Counts);
}

/// Of two cycle counters one cannot bear out the other.
TEST(EffectiveClocks, CountsOfCyclesAreNoSign) {
  Samples S = slowAt500();
  S.Classes = {"cycles", "bytes_dram"};
  for (Sample &Row : S.Rows) {
    Row.Counts[0] = Row.TimeS * *Row.Clocks.CoreMhz * 1e6;
    if (Row.Workload == "w0" || Row.Workload > "w2")
      Row.Counts[0] = *Row.Counts[0] / std::sqrt(*Row.Clocks.CoreMhz); // idle, in part
  }
  const Samples Before = S;
  EXPECT_THAT(found(S), ElementsAre(HasSubstr("cycles-differ: core_mhz 500")));
  EXPECT_EQ(S.Rows[0].Counts, Before.Rows[0].Counts);
  EXPECT_EQ(S.Rows[0].Clocks.ActualCoreMhz, std::nullopt);
}

TEST(EffectiveClocks, ASingleWorkloadMayDoMoreWork) {
  Samples S = good();
  for (Sample &Row : S.Rows)
    if (Row.Workload == "w1" && Row.Clocks.CoreMhz == 500) {
      *Row.Counts[0] *= 1.6;
      Row.TimeS *= 1.6;
    }
  EXPECT_THAT(found(S), IsEmpty());
}

//===----------------------------------------------------------------------===//
// Collinear classes
//===----------------------------------------------------------------------===//

/// good() and two classes of it with noise of about 1 %.
static Samples withClasses(double (*Third)(const Sample &), double (*Fourth)(const Sample &)) {
  Samples S = good();
  S.Classes = {"flops_f64", "bytes_dram", "third", "fourth"};
  for (Sample &Row : S.Rows) {
    const double Noise = 1 + 0.01 * std::sin(double(Row.Line));
    const double Values[] = {Third(Row) * Noise, Fourth(Row) / Noise};
    Row.Counts.insert(Row.Counts.end(), std::begin(Values), std::end(Values));
  }
  return S;
}

TEST(CollinearClasses, Groups) {
  Samples S = withClasses([](const Sample &Row) { return 3 * *Row.Counts[0]; },
                          [](const Sample &Row) { return 1e-3 * *Row.Counts[1]; });
  const SampleReport Report = checkSamples(S);
  EXPECT_THAT(Report.Proportional,
              ElementsAre(ElementsAre("flops_f64", "third"), ElementsAre("bytes_dram", "fourth")));
  EXPECT_THAT(Report.Dependent, IsEmpty());
  ASSERT_THAT(Report.Findings, SizeIs(2));
  EXPECT_EQ(Report.Findings[0].Text,
            "flops_f64 and third are proportional in all rows, within 3 %: "
            "their separate costs cannot be determined");
}

TEST(CollinearClasses, SumsAndTime) {
  Samples S = withClasses([](const Sample &Row) { return *Row.Counts[0] + *Row.Counts[1]; },
                          [](const Sample &Row) { return 1e9 * Row.TimeS; });
  const SampleReport Report = checkSamples(S);
  EXPECT_THAT(Report.Proportional, IsEmpty());
  ASSERT_THAT(Report.Dependent, SizeIs(2));
  EXPECT_EQ(Report.Dependent[0].Class, "fourth");
  EXPECT_THAT(Report.Dependent[0].Others, ElementsAre("constant"));
  EXPECT_EQ(Report.Dependent[1].Class, "third");
  EXPECT_THAT(Report.Dependent[1].Others, ElementsAre("flops_f64", "bytes_dram"));
  EXPECT_EQ(Report.Findings[1].Text,
            "third is a linear combination of flops_f64 and bytes_dram in all "
            "rows, within 3 %: its cost cannot be determined separately");
}
