//===- CalibrationSummaryTest.cpp - a calibration fits a screen -----------===//

#include "calibration/StatedPower.h"
#include "test/support/ProbedMachines.h"
#include "tools/calibrate/Calibration.h"

#include <gmock/gmock.h>

#include <algorithm>

using namespace ergon;
using testing::HasSubstr;
using testing::Not;

namespace {
/// A made-up calibration: an iteration of each probe took 100 ns, within 2 % down and 4 % up.
struct Summaries : testing::Test {
  ProbeTable Table = probesFor(twoCores());
  CalibrationResult Result;
  Machine M;
  std::string Replaced;
  bool IsOwn = true;

  void measure(const std::vector<std::string> &Names) {
    for (const Probe &P : Table.Probes)
      if (Names.empty() || std::ranges::find(Names, P.Name) != Names.end())
        Result.Probes.push_back({&P, {100e-9, 98e-9, 104e-9, 20, 0}, 2e9});
    Result.Mixed = predictMixed(Result.Probes);
    Result.Energy.Why = "no meter is there";
    M.Name = "mine";
    M.Sources["law"].Reference = "ergon calibrate --idle-w 60 --busy-w 210";
    fillMachine(M, Result.Probes, Result.Mixed, {2e9}, 64, "calibration");
  }
  void state() { addEnergies(M, {60, 210}, 2, "law"); }

  std::string shown() const {
    testing::internal::CaptureStdout();
    printSummary({Result, M, Table, twoCores(), "A processor", "/data/mine.json", "/data/mine.csv",
                  Replaced, IsOwn, 71.6});
    std::fflush(stdout);
    return testing::internal::GetCapturedStdout();
  }
};
} // namespace

TEST_F(Summaries, RatesOfOneThreadAndOfAllWithIntervals) {
  // 12 chains of 16 additions of one lane: 192 flops in 100 ns.
  measure({"add-f64-64-1thread", "add-f64-64-2threads", "follow-i64-64-chain-l2-1thread"});
  const std::string Text = shown();
  EXPECT_THAT(Text, HasSubstr("A processor, 2 threads at 2000 MHz: "));
  EXPECT_THAT(Text, HasSubstr(" probes measured in 71.6 s\nprofile: /data/mine.json\n"));
  // The slow end is farther off: 1 - 100/104 of a rate, 104/100 - 1 of a time.
  EXPECT_THAT(Text, HasSubstr("one thread            2 threads             latency\n"
                              "  flops, f64  1.92 G/s ± 3.8 %      3.84 G/s ± 3.8 %\n"));
  EXPECT_THAT(Text, testing::ContainsRegex("  l2 .* ps ± 4 %\n"));
  // No energy: no column of it, and a line says how joules are got.
  EXPECT_THAT(Text, Not(HasSubstr("energy of one")));
  EXPECT_THAT(Text, HasSubstr("no energies were measured, the profile has times alone: no meter is "
                              "there; what the machine draws idle and busy gives an estimate: "
                              "--idle-w, --busy-w\n"));
  EXPECT_THAT(Text, HasSubstr("then ergon top records\n"));
}

TEST_F(Summaries, JoulesHaveAnInterval) {
  measure({"add-f64-64-1thread", "add-f64-64-2threads"});
  // Both threads together: 384 flops in 100 ns. The 150 W more are 39 nJ a flop, within
  // exp(1.96·0.53).
  state();
  const std::string Text = shown();
  EXPECT_THAT(Text, HasSubstr("39.06 nJ  (13.82 nJ to 110.4 nJ)"));
  EXPECT_THAT(Text,
              HasSubstr("energies are estimated, within a factor of 2.8: ergon calibrate "
                        "--idle-w 60 --busy-w 210; 60 W whatever runs; no meter can be read\n"));
}

TEST_F(Summaries, IsAScreenWhateverHappened) {
  measure({});
  state();
  for (const Measured &Probe : Result.Probes)
    for (auto *List : {&Result.Wide, &Result.Disturbed, &Result.Unmeasured})
      List->push_back(Probe.Probed->Name);
  Table.LeftOut = {"l1 on 2 threads", "l2 on 2 threads", "l3 on 2 threads", "dram on 2 threads"};
  for (double Mhz = 800; Mhz < 3000; Mhz += 100) {
    Result.SettingsMhz.push_back(Mhz);
    Result.NotTaken[Mhz + 50] = "the processors ran at another clock";
  }
  Replaced = "2026-11-27";
  IsOwn = false;
  const std::string Text = shown();
  EXPECT_LE(std::ranges::count(Text, '\n'), 25);
  EXPECT_THAT(Text, HasSubstr("profile: /data/mine.json, in the place of the one of 2026-11-27\n"));
  EXPECT_THAT(Text, HasSubstr("left out: l1 on 2 threads, l2 on 2 threads"));
  EXPECT_THAT(Text, HasSubstr("wider than wanted: "));
  EXPECT_THAT(Text, HasSubstr("ergon top records --machine /data/mine.json\n"));
  for (const char *Level : {"\n  l1  ", "\n  l2  ", "\n  l3  ", "\n  dram  "})
    EXPECT_THAT(Text, HasSubstr(Level));
}
