//===- SampleJoinTest.cpp - logs of tools as samples ----------------------===//

#include "model/measurements/SampleJoin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ergon {

static const std::vector<Metric> Counters = {{"flop_count_sp", 1e9}};

/// Readings of \p PowerW every 100 ms from \p FromS, at 1000 and 500 MHz.
static PowerLog power(std::vector<double> PowerW, double FromS = 0, std::string Device = "") {
  PowerLog Result{std::move(Device)};
  for (double W : PowerW)
    Result.Readings.push_back({FromS + 0.1 * double(Result.Readings.size()), W, 1000, 500});
  return Result;
}

/// Launches of 50 ms each, one after the other.
static void launch(ToolLog &Log, const std::string &Name, double FromS, int Count) {
  for (int K = 0; K != Count; ++K)
    Log.Runs.push_back(
        {.Name = Name, .StartS = FromS + 0.05 * K, .TimeS = 0.05, .Metrics = Counters});
}

static JoinedLogs joined(const std::vector<ToolLog> &Logs, const JoinOptions &Options = {}) {
  auto Result = joinLogs(Logs, Options);
  EXPECT_TRUE(Result) << (Result ? "" : Result.error().line());
  return Result ? std::move(*Result) : JoinedLogs();
}

static std::vector<std::string> ids(const JoinedLogs &Joined) {
  std::vector<std::string> Result;
  for (const LogFinding &Finding : Joined.Findings)
    Result.push_back(Finding.Id);
  return Result;
}

TEST(SampleJoin, FindsWhenKernelsRan) {
  // 0.6 s at 40 W, then a for 1 s at 100 W, b for 1 s at 200 W. The profiler's zero is 0.35 s after
  // the first reading.
  std::vector<double> Watts(6, 40);
  Watts.insert(Watts.end(), 10, 100);
  Watts.insert(Watts.end(), 10, 200);
  Watts.insert(Watts.end(), 6, 40);
  ToolLog Kernels, Smi{LogTool::NvidiaSmi, "", {}, {power(Watts, 1000)}};
  launch(Kernels, "void a<int=3>(float*)", 0.2, 20);
  launch(Kernels, "b(int)", 1.2, 20);
  const JoinedLogs Joined = joined({Kernels, Smi});
  ASSERT_EQ(Joined.Table.Rows.size(), 2u);
  EXPECT_EQ(Joined.Table.Rows[0].Workload, "a<3>");
  EXPECT_NEAR(Joined.Table.Rows[0].EnergyJ.value(), 100 * 0.05, 0.01);
  EXPECT_NEAR(Joined.Table.Rows[1].EnergyJ.value(), 200 * 0.05, 0.01);
  EXPECT_EQ(Joined.Table.Rows[1].Clocks.CoreMhz, 1000);
  EXPECT_EQ(Joined.Table.Rows[1].Clocks.MemMhz, 500);
  EXPECT_EQ(Joined.Launches[1], 20);
  EXPECT_THAT(ids(Joined), testing::ElementsAre("aligned-by-power"));
  // Given, nothing is searched.
  const JoinedLogs Given = joined({Kernels, Smi}, {.OffsetS = 0.35});
  EXPECT_NEAR(Given.Table.Rows[0].EnergyJ.value(), 5, 0.01);
  EXPECT_THAT(ids(Given), testing::IsEmpty());
}

TEST(SampleJoin, SharesPowerAmongOverlappingLaunches) {
  const ToolLog Smi{LogTool::NvidiaSmi, "", {}, {power(std::vector<double>(11, 100))}};
  ToolLog Kernels;
  launch(Kernels, "a", 0, 20);
  launch(Kernels, "a", 0, 20); // on a second stream
  const JoinedLogs Joined = joined({Kernels, Smi});
  EXPECT_NEAR(Joined.Table.Rows.at(0).EnergyJ.value(), 100 * 0.05 / 2, 1e-6);
  EXPECT_THAT(ids(Joined), testing::ElementsAre("overlapping-kernels"));
}

TEST(SampleJoin, IntegratesPowerThatChanges) {
  // From 100 to 200 W in a second: 150 W in the mean.
  std::vector<double> Watts;
  for (int K = 0; K != 11; ++K)
    Watts.push_back(100 + 10 * K);
  ToolLog Kernels, Smi{LogTool::NvidiaSmi, "", {}, {power(Watts)}};
  launch(Kernels, "a", 7, 20);
  const JoinedLogs Joined = joined({Kernels, Smi});
  EXPECT_NEAR(Joined.Table.Rows.at(0).EnergyJ.value(), 150 * 0.05, 1e-6);
}

TEST(SampleJoin, LeavesShortKernelsOut) {
  std::vector<double> Watts(6, 40);
  Watts.insert(Watts.end(), 10, 100);
  Watts.insert(Watts.end(), 6, 40);
  ToolLog Kernels, Smi{LogTool::NvidiaSmi, "", {}, {power(Watts)}};
  launch(Kernels, "a", 0.6, 18);
  launch(Kernels, "once", 1.5, 2); // 100 ms, as long as one reading
  const JoinedLogs Joined = joined({Kernels, Smi}, {.OffsetS = 0});
  ASSERT_EQ(Joined.Table.Rows.size(), 1u);
  EXPECT_THAT(ids(Joined), testing::ElementsAre("too-short", "left-out"));
  const JoinedLogs Kept = joined({Kernels, Smi}, {.OffsetS = 0, .KeepsBlank = true});
  ASSERT_EQ(Kept.Table.Rows.size(), 2u);
  EXPECT_FALSE(Kept.Table.Rows[1].EnergyJ);
}

TEST(SampleJoin, TellsClocksOfASweepApart) {
  PowerLog Log = power(std::vector<double>(10, 100));
  for (const PowerReading &R : power(std::vector<double>(10, 60), 1).Readings)
    Log.Readings.push_back({R.AtS, R.PowerW, 600 + 4 * (R.AtS > 1.5), 500});
  ToolLog Kernels, Smi{LogTool::NvidiaSmi, "", {}, {Log}};
  launch(Kernels, "a", 0, 19);
  launch(Kernels, "b", 0.96, 1);
  launch(Kernels, "a", 1.01, 19);
  const JoinedLogs Joined = joined({Kernels, Smi}, {.OffsetS = 0});
  ASSERT_EQ(Joined.Table.Rows.size(), 2u);
  EXPECT_EQ(Joined.Table.Rows[0].Clocks.CoreMhz, 1000);
  EXPECT_NEAR(Joined.Table.Rows[0].EnergyJ.value(), 5, 1e-6);
  EXPECT_NEAR(Joined.Table.Rows[1].Clocks.CoreMhz.value(), 602, 2); // 600 and 604 are one setting
  EXPECT_NEAR(Joined.Table.Rows[1].EnergyJ.value(), 3, 1e-6);
}

TEST(SampleJoin, TakesTheMeanPowerOfARepeatedRun) {
  ToolLog Ncu{LogTool::Ncu, "", {{.Name = "a", .TimeS = 0.02, .Metrics = Counters}}, {}};
  std::vector<double> Watts(5, 40);
  Watts.insert(Watts.end(), 20, 150);
  const ToolLog Smi{LogTool::NvidiaSmi, "", {}, {power(Watts)}};
  const JoinedLogs One = joined({Ncu, Smi});
  EXPECT_NEAR(One.Table.Rows.at(0).EnergyJ.value(), 150 * 0.02, 1e-9);
  EXPECT_THAT(ids(One), testing::ElementsAre("mean-power"));
  // Two kernels of 20 ms say nothing of two seconds of load.
  Ncu.Runs.push_back({.Name = "b", .TimeS = 0.02, .Metrics = Counters});
  const JoinedLogs Two = joined({Ncu, Smi});
  EXPECT_FALSE(Two.Table.Rows.at(0).EnergyJ);
  EXPECT_THAT(ids(Two), testing::ElementsAre("no-energy"));
}

TEST(SampleJoin, SaysWhatTimesCannotBe) {
  ToolLog Kernels;
  launch(Kernels, "a", 0, 3);
  Kernels.Runs[1].TimeS = 0.5; // as if a unit were wrong
  EXPECT_THAT(ids(joined({Kernels}, {.CoreMhz = 1000})),
              testing::ElementsAre("overlapping-kernels", "no-energy"));
  const ToolLog Summary{
      LogTool::Nvprof, "", {{.Name = "a", .Launches = 1000, .TimeS = 1, .Metrics = Counters}}, {}};
  const ToolLog Smi{LogTool::NvidiaSmi, "", {}, {power(std::vector<double>(20, 100))}};
  EXPECT_THAT(ids(joined({Summary, Smi})), testing::ElementsAre("log-too-short", "mean-power"));
}

TEST(SampleJoin, CannotAlignWhatIsNotThere) {
  std::vector<double> Watts(30, 40); // noise alone, 10 % of it
  for (std::size_t K = 0; K != Watts.size(); K += 2)
    Watts[K] = 44;
  ToolLog Kernels, Smi{LogTool::NvidiaSmi, "", {}, {power(Watts)}};
  launch(Kernels, "a", 0, 10);
  launch(Kernels, "b", 0.5, 10);
  const JoinedLogs Joined = joined({Kernels, Smi});
  EXPECT_EQ(ids(Joined).at(0), "not-aligned");
  EXPECT_FALSE(Joined.Table.Rows.at(0).EnergyJ);
}

TEST(SampleJoin, PutsCountersOfOtherFilesBeside) {
  ToolLog Kernels, Metrics;
  launch(Kernels, "void f<int=3>(float*, int)", 0, 2);
  for (LoggedRun &Run : Kernels.Runs)
    Run.Metrics.clear();
  // As Nsight Compute writes the same kernel; its own time is of a kernel that it repeats.
  Metrics.Runs = {{.Name = "f<(int)3>(float *, int)", .TimeS = 9, .Metrics = Counters}};
  const JoinedLogs Joined = joined({Kernels, Metrics}, {.CoreMhz = 1000});
  ASSERT_EQ(Joined.Table.Rows.size(), 1u);
  EXPECT_EQ(Joined.Table.Rows[0].TimeS, 0.05);
  EXPECT_EQ(Joined.Table.Classes, (std::vector<std::string>{"flops_f32"}));
  EXPECT_EQ(Joined.Table.Rows[0].Counts[0], 1e9);
}

TEST(SampleJoin, TellsLaunchShapesApartWhereCountersDo) {
  ToolLog Ncu{LogTool::Ncu,
              "",
              {{.Name = "f", .Shape = "1x1x1:32x1x1", .TimeS = 1, .Metrics = Counters},
               {.Name = "f", .Shape = "2x1x1:32x1x1", .TimeS = 2, .Metrics = Counters}},
              {}};
  const JoinedLogs Apart = joined({Ncu}, {.CoreMhz = 1000});
  ASSERT_EQ(Apart.Table.Rows.size(), 2u);
  EXPECT_EQ(Apart.Table.Rows[1].Workload, "f/2x1x1:32x1x1");
  const ToolLog Nvprof{LogTool::Nvprof, "", {{.Name = "f", .Metrics = Counters}}, {}};
  EXPECT_EQ(joined({Ncu, Nvprof}, {.CoreMhz = 1000}).Table.Rows.size(), 1u);
}

TEST(SampleJoin, CountsWhatIsGiven) {
  const ToolLog Tuner{LogTool::KernelTuner, "", {{.Name = "f", .TimeS = 1, .CoreMhz = 900}}, {}};
  const JoinedLogs Given = joined({Tuner}, {.Counts = {{"flops_f32", 5, {}}}});
  EXPECT_EQ(Given.Table.Rows.at(0).Counts.at(0), 5);
  const JoinedLogs None = joined({Tuner});
  EXPECT_EQ(None.Table.Classes, (std::vector<std::string>{"launches"}));
  EXPECT_THAT(ids(None), testing::ElementsAre("no-energy", "no-counters"));
}

TEST(SampleJoin, SaysWhatIsMissing) {
  auto Message = [](const std::vector<ToolLog> &Logs, const JoinOptions &Options = {}) {
    const auto Result = joinLogs(Logs, Options);
    return Result ? "no error" : Result.error().line();
  };
  const ToolLog Smi{LogTool::NvidiaSmi, "s", {}, {power({1, 2}, 0, "0"), power({1, 2}, 0, "1")}};
  const ToolLog Run{LogTool::Ncu, "n", {{.Name = "f", .TimeS = 1, .Metrics = Counters}}, {}};
  EXPECT_EQ(
      Message({Run}),
      "the clock of the core is not known of f; log it (nvidia-smi "
      "--query-gpu=timestamp,power.draw,clocks.sm,clocks.mem), or give --at core=MHZ,mem=MHZ");
  EXPECT_EQ(Message({Run, Smi}), "the power log is of 2 GPUs: 0 and 1; choose one: --gpu 0");
  EXPECT_EQ(Message({Run, Smi}, {.Device = "7"}),
            "--gpu 7: the power log has no GPU 7; it has 0 and 1");
  const ToolLog Again{LogTool::NvidiaSmi, "t", {}, {power({1, 2})}};
  EXPECT_EQ(Message({Run, Again, Again}),
            "two power logs of the same time: t and t; import them one after the other, the second "
            "with --append");
  EXPECT_EQ(Message({Again}), "there are no kernels, regions or configurations in these files; add "
                              "the output of nvprof --csv --print-gpu-trace, or of ncu with "
                              "gpu__time_duration.sum");
  const ToolLog Swept{
      LogTool::KernelTuner,
      "k",
      {{.Name = "f", .TimeS = 1, .CoreMhz = 900}, {.Name = "f", .TimeS = 1, .CoreMhz = 1800}},
      {}};
  EXPECT_EQ(
      Message({Swept}, {.CoreMhz = 1000}),
      "--at: the logs have runs with the core at 900 to 1800 MHz; leave it out, or import runs "
      "of one setting");
}

TEST(KernelNames, AreTheSameInAllTools) {
  EXPECT_EQ(kernelName("void matrixMulCUDA<int=32>(float*, float*, int)"), "matrixMulCUDA<32>");
  EXPECT_EQ(kernelName("matrixMulCUDA<(int)32>(float *, float *, int)"), "matrixMulCUDA<32>");
  EXPECT_EQ(kernelName("void a::f<float, unsigned int=5, bool=1>(a::g<int>)"), "a::f<float,5,1>");
  EXPECT_EQ(kernelName("void (anonymous namespace)::f(int)"), "(anonymous namespace)::f");
  EXPECT_EQ(kernelName("f"), "f");
  EXPECT_EQ(kernelName("[CUDA memcpy HtoD]"), "[CUDA memcpy HtoD]");
  EXPECT_EQ(kernelName(""), "");
}

} // namespace ergon
