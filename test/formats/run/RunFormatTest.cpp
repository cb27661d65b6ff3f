// Run records: what the runtime writes is read, and what it never writes is refused.

#include "formats/run/RunFormat.h"

#include <gmock/gmock.h>

using namespace ergon;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

static std::string record(const std::string &Meters, const std::string &Regions,
                          const std::string &Functions = "") {
  return R"({"schema": "ergon-run/1", "program": "/bin/p", "process": 7, "parent": 1,
    "started": "2026-01-01T00:00:00.000000000Z", "duration_s": 1.5, "ended": "exit",
    "functions": [)" +
         Functions + R"(], "meters": [)" + Meters +
         R"(], "unread_meters": [{"name": "nvml", "why": "no library"}],
    "regions": [)" +
         Regions + R"(], "region_mistakes": 2, "regions_too_deep": 3})";
}

static const char *const Meter = R"({"name": "powercap/intel-rapl:0", "covers": "package-0",
    "energy_j": 30.000000001, "from_s": 0.001, "until_s": 1.2, "readings": 40,
    "update_period_s": 0.001, "longest_gap_s": 0.1, "why": "energy_uj: No such file",
    "clock_hz": {"least": 1000000000, "mean": 1500000000, "most": 1980000000},
    "held_down_by": ["power cap"]})";
static const char *const Region = R"({"path": ["solve", "inner"], "count": 6, "threads": 2,
    "time_s": 0.5, "energy_j": {"powercap/intel-rapl:0": 12.25}})";

TEST(RunFormat, MetersAndRegions) {
  auto Run = parseRun(record(Meter, Region));
  ASSERT_TRUE(Run) << Run.error().What;
  ASSERT_EQ(Run->Meters.size(), 1u);
  const MeterRun &Read = Run->Meters[0];
  EXPECT_EQ(Read.Covers, "package-0");
  EXPECT_DOUBLE_EQ(Read.EnergyJ, 30.000000001);
  EXPECT_DOUBLE_EQ(Read.UntilS, 1.2);
  EXPECT_EQ(Read.Readings, 40);
  EXPECT_EQ(Read.Why, "energy_uj: No such file");
  EXPECT_DOUBLE_EQ(Read.MeanClockHz, 1.5e9);
  EXPECT_THAT(Read.HeldDownBy, ElementsAre("power cap"));
  ASSERT_EQ(Run->Unread.size(), 1u);
  EXPECT_EQ(Run->Unread[0].Why, "no library");
  ASSERT_EQ(Run->Regions.size(), 1u);
  EXPECT_THAT(Run->Regions[0].Path, ElementsAre("solve", "inner"));
  EXPECT_EQ(Run->Regions[0].Threads, 2);
  EXPECT_THAT(Run->Regions[0].EnergyJ, ElementsAre(Pair("powercap/intel-rapl:0", 12.25)));
  EXPECT_EQ(Run->RegionMistakes, 2);
  EXPECT_EQ(Run->RegionsTooDeep, 3);
}

static std::string failure(const std::string &Text) {
  auto Run = parseRun(Text);
  return Run ? std::string() : Run.error().Where + ": " + Run.error().What;
}

TEST(RunFormat, WhatNoRuntimeWritesIsRefused) {
  std::string Negative = Region;
  Negative.replace(Negative.find("0.5"), 3, "-1");
  EXPECT_THAT(failure(record(Meter, Negative)), HasSubstr("/regions/0/time_s"));
  EXPECT_THAT(failure(record(R"({"name": "x"})", Region)), HasSubstr("/meters/0"));
  EXPECT_THAT(failure(record(Meter, R"({"path": "solve"})")), HasSubstr("/regions/0"));
}

TEST(RunFormat, WholeCountsOfUnknowns) {
  auto Counted = [](const char *Mean) {
    return record("", "",
                  R"({"unit": "a.c", "function": "f", "unknowns": {"x": )" + std::string(Mean) +
                      "}}");
  };
  EXPECT_EQ(failure(Counted(R"({"sum": 1, "times": 1})")), "");
  EXPECT_THAT(failure(Counted(R"({"sum": 1, "times": -1})")),
              HasSubstr("/functions/0/unknowns/x/times"));
  EXPECT_THAT(failure(Counted(R"({"sum": 1.5, "times": 1})")),
              HasSubstr("/functions/0/unknowns/x/sum"));
}

TEST(RunFormat, FunctionsThatPointersCalled) {
  auto Run = parseRun(record(Meter, Region, R"({"unit": "a.c", "function": "f", "unknowns": {},
      "calls": {"call@a.c:1:1": [{"function": "g", "unit": "b.c", "times": 3, "sums": {"1": -7}}, {"times": 2}]}})"));
  ASSERT_TRUE(Run) << Run.error().What;
  const std::vector<CalledFunction> &Read = Run->Functions[0].Calls.at("call@a.c:1:1");
  ASSERT_EQ(Read.size(), 2u);
  EXPECT_EQ(Read[0].Name, "g");
  EXPECT_EQ(Read[0].Unit, "b.c");
  EXPECT_EQ(Read[0].Times, 3);
  EXPECT_THAT(Read[0].Sums, ElementsAre(Pair(1u, -7)));
  EXPECT_EQ(Read[1].Name, "");
  EXPECT_THAT(
      failure(record(Meter, Region, R"({"unit": "a.c", "function": "f", "unknowns": {},
      "calls": {"call@": [{"times": 1, "sums": {"one": 1}}]}})")),
      HasSubstr("/functions/0/calls/call@/0/sums/one: its key is no number of an argument"));
}

TEST(RunFormat, IsWrittenOfOtherToolsRuns) {
  ProcessRun Run;
  Run.Program = "trace.csv";
  Run.Ended = "exit";
  Run.DurationS = 2.5;
  MeterRun Meter;
  Meter.Name = "nvml:0";
  Meter.Covers = "gpu";
  Meter.EnergyJ = 300;
  Meter.Readings = 60;
  Run.Meters.push_back(Meter);
  Run.Regions.push_back({{"gemm"}, 10, 1, 2, {{"nvml:0", 250}}});
  const auto Read = parseRun(writeRun(Run));
  ASSERT_TRUE(Read) << Read.error().line();
  EXPECT_EQ(Read->DurationS, 2.5);
  ASSERT_EQ(Read->Meters.size(), 1u);
  EXPECT_EQ(Read->Meters[0].EnergyJ, 300);
  EXPECT_EQ(Read->Meters[0].Readings, 60);
  ASSERT_EQ(Read->Regions.size(), 1u);
  EXPECT_EQ(Read->Regions[0].Path, (std::vector<std::string>{"gemm"}));
  EXPECT_EQ(Read->Regions[0].EnergyJ.at("nvml:0"), 250);
}
