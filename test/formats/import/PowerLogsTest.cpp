//===- PowerLogsTest.cpp - nvidia-smi and dcgmi ---------------------------===//

#include "test/formats/import/Parsed.h"

namespace ergon {

TEST(NvidiaSmiLog, HasColumnsWithUnits) {
  const ToolLog Log = parsed(
      "index, timestamp, power.draw [W], clocks.current.sm [MHz], clocks.current.memory [MHz], "
      "clocks.current.graphics [MHz]\n"
      "0, 2019/08/23 14:54:47.307, 208.36 W, 1545 MHz, 6800 MHz, 1530 MHz\n"
      "0, 2019/08/23 14:54:48.310, [N/A], 1560 MHz, 6800 MHz, 1560 MHz\n"
      "0, 2019/08/23 14:54:49.307, 205.51 W, 1545 MHz, 6800 MHz, 1545 MHz\n",
      LogTool::NvidiaSmi);
  ASSERT_EQ(Log.Power.size(), 1u);
  EXPECT_EQ(Log.Power[0].Device, "0");
  ASSERT_EQ(Log.Power[0].Readings.size(), 2u);
  EXPECT_EQ(Log.Power[0].Readings[0].PowerW, 208.36);
  EXPECT_EQ(Log.Power[0].Readings[0].CoreMhz, 1545);
  EXPECT_EQ(Log.Power[0].Readings[0].MemMhz, 6800);
  EXPECT_NEAR(Log.Power[0].Readings[1].AtS - Log.Power[0].Readings[0].AtS, 2, 1e-6);
  EXPECT_EQ(Log.Notes, (std::vector<std::string>{"1 readings have no power and were left out"}));
}

TEST(NvidiaSmiLog, MayHaveNoUnitsInCells) {
  const ToolLog Log = parsed("timestamp, power.draw [W], clocks.sm [MHz]\n"
                             "2019/08/23 14:54:47.307, 208.36, 1545\n",
                             LogTool::NvidiaSmi);
  EXPECT_EQ(Log.Power.at(0).Readings.at(0).PowerW, 208.36);
  // A cell's own unit counts: a driver that writes milliwatts at times is read right.
  const ToolLog Mixed = parsed("timestamp, power.draw [W]\n"
                               "2019/08/23 14:54:47.307, 208.36 W\n"
                               "2019/08/23 14:54:48.307, 208360 mW\n",
                               LogTool::NvidiaSmi);
  EXPECT_DOUBLE_EQ(Mixed.Power.at(0).Readings.at(1).PowerW, 208.36);
}

TEST(NvidiaSmiLog, PrefersTheInstant) {
  const ToolLog Log = parsed("timestamp, power.draw [W], power.draw.instant [W]\n"
                             "2026/08/17 22:35:54.844, 44.94 W, 71.25 W\n",
                             LogTool::NvidiaSmi);
  EXPECT_EQ(Log.Power.at(0).Readings.at(0).PowerW, 71.25);
}

TEST(NvidiaSmiLog, MayHaveNoNames) {
  const std::string WithUnits = "2019/08/23 14:54:47.307, 208.36 W, 1545 MHz, 6800 MHz\n";
  const ToolLog Log = parsed(WithUnits, LogTool::NvidiaSmi);
  EXPECT_EQ(Log.Power.at(0).Readings.at(0).MemMhz, 6800);
  EXPECT_EQ(Log.Notes.size(), 1u); // which clock is which is an assumption
  const std::string Bare = "2019/08/23 14:54:47.307, 208.36, 1545, 6800\n";
  EXPECT_EQ(errorOf(Bare, LogTool::NvidiaSmi),
            "log.csv: line 1: the columns have neither names nor units; name them in the order of "
            "--query-gpu: --columns timestamp,power.draw,clocks.sm,clocks.mem");
  ImportOptions Named;
  Named.Columns = {"timestamp", "power.draw", "clocks.mem", "clocks.sm"};
  EXPECT_EQ(parsed(Bare, LogTool::NvidiaSmi, Named).Power.at(0).Readings.at(0).CoreMhz, 6800);
}

TEST(NvidiaSmiLog, OfSeveralGpusHasALogForEach) {
  const ToolLog Log = parsed("index, timestamp, power.draw [W]\n"
                             "0, 2025/04/09 08:59:06.356, 63.86 W\n"
                             "1, 2025/04/09 08:59:06.360, 56.78 W\n"
                             "0, 2025/04/09 08:59:07.356, 63.90 W\n",
                             LogTool::NvidiaSmi);
  ASSERT_EQ(Log.Power.size(), 2u);
  EXPECT_EQ(Log.Power[1].Device, "1");
  std::string Nameless = "timestamp, power.draw [W]\n";
  for (int Second = 10; Second != 14; ++Second)
    for (const char *Ms : {".356, 63.86 W\n", ".360, 56.78 W\n"})
      Nameless += "2025/04/09 08:59:" + std::to_string(Second) + Ms;
  EXPECT_EQ(
      errorOf(Nameless, LogTool::NvidiaSmi),
      "log.csv: line 3: readings come in groups, as of several GPUs; log index too: nvidia-smi "
      "--query-gpu=index,timestamp,power.draw,…, or one GPU alone: nvidia-smi -i 0");
}

TEST(NvidiaSmiLog, SaysWhatIsWrong) {
  const std::string Header = "timestamp, power.draw, clocks.sm [MHz]\n";
  EXPECT_EQ(
      errorOf(Header + "2019/08/23 14:54:47.307, 208.36, 1545 MHz\n", LogTool::NvidiaSmi),
      "log.csv: line 2: the unit of the column power.draw is not known; write it in the name, "
      "power.draw [W], or log without nounits");
  EXPECT_EQ(errorOf(Header + "2019/08/23 14:54:47.307, 208.36 MHz, 1545 MHz\n", LogTool::NvidiaSmi),
            "log.csv: line 2: \"MHz\" is no unit of power.draw; write it in the name, power.draw "
            "[W], or log without nounits");
  EXPECT_EQ(errorOf("timestamp, power.draw [W]\n2019/08/23 14:54:47.307, 208.36 W\n"
                    "2019/08/23 14:54:46.307, 208.36 W\n",
                    LogTool::NvidiaSmi),
            "log.csv: line 3: the time is earlier than that of the reading before; where the clock "
            "was set or two logs were joined, cut the file in two there");
  EXPECT_EQ(errorOf("timestamp; power.draw [W]\n", LogTool::NvidiaSmi),
            "log.csv: line 1: cells are separated by semicolons; take the file as nvidia-smi "
            "--format=csv wrote it: separated by commas");
  EXPECT_EQ(errorOf("power.draw [W]\n208.36 W\n", LogTool::NvidiaSmi),
            "log.csv: line 2: there is no time; log timestamp too: nvidia-smi "
            "--query-gpu=timestamp,power.draw,…");
  EXPECT_EQ(
      errorOf("timestamp, power.draw [W]\n2019/08/23 14:54:47.307, [N/A]\n", LogTool::NvidiaSmi),
      "log.csv: power.draw has no number in any of 1 readings; this GPU or its driver reports "
      "no power: use a meter of another kind");
  EXPECT_EQ(errorOf("timestamp, clocks.sm [MHz]\n", LogTool::NvidiaSmi).substr(0, 46),
            "log.csv: line 1: there is no column power.draw");
}

TEST(NvidiaSmiLog, IsReadOfDmonToo) {
  const ToolLog Log = parsed("#Date       Time        gpu   pwr gtemp mtemp    sm   mclk  pclk\n"
                             "#YYYYMMDD   HH:MM:SS    Idx     W     C     C     %    MHz   MHz\n"
                             " 20210102   19:12:31      0    37    19     -     0   4006   582\n"
                             " 20210102   19:12:33      0   239    19     -     0   4006  1582\n",
                             LogTool::NvidiaSmi);
  ASSERT_EQ(Log.Power.size(), 1u);
  ASSERT_EQ(Log.Power[0].Readings.size(), 2u);
  EXPECT_EQ(Log.Power[0].Device, "0");
  EXPECT_EQ(Log.Power[0].Readings[1].PowerW, 239);
  EXPECT_EQ(Log.Power[0].Readings[1].CoreMhz, 1582);
  EXPECT_EQ(Log.Power[0].Readings[1].MemMhz, 4006);
  EXPECT_NEAR(Log.Power[0].Readings[1].AtS - Log.Power[0].Readings[0].AtS, 2, 1e-6);
  const ToolLog Timeless =
      parsed("# gpu    pwr  gtemp   mclk   pclk \n"
             "# Idx      W      C    MHz    MHz \n"
             "    0     25     38    405    300\n    0     26     38    405    300\n",
             LogTool::NvidiaSmi, ImportOptions{.PeriodS = 0.5});
  EXPECT_NEAR(Timeless.Power.at(0).Readings.at(1).AtS - Timeless.Power[0].Readings[0].AtS, 0.5,
              1e-6);
}

TEST(DcgmLog, HasEntitiesInRows) {
  const std::string Text = "#Entity   POWER   TOTEC     SMCLK   MMCLK   GRACT\n"
                           "ID         W       mJ        MHz     MHz\n"
                           "GPU 0     120.5   1000000   1410    1215    0.000\n"
                           "GPU 1      60.5   2000000    210    1215    N/A\n"
                           "#Entity   POWER   TOTEC     SMCLK   MMCLK   GRACT\n"
                           "ID         W       mJ        MHz     MHz\n"
                           "GPU 0     N/A     1000010   1410    1215    0.000\n"
                           "GPU 0     121.5   1000020   1410    1215    0.000\n";
  const ToolLog Log = parsed(Text, LogTool::Dcgm, ImportOptions{.PeriodS = 0.1});
  ASSERT_EQ(Log.Power.size(), 2u);
  ASSERT_EQ(Log.Power[0].Readings.size(), 2u);
  EXPECT_EQ(Log.Power[0].Readings[1].PowerW, 121.5);
  EXPECT_EQ(Log.Power[0].Readings[1].CoreMhz, 1410);
  EXPECT_EQ(Log.Power[0].Readings[1].MemMhz, 1215);
  EXPECT_NEAR(Log.Power[0].Readings[1].AtS, 0.2, 1e-12); // the unread one took its time
  EXPECT_EQ(parsed(Text, LogTool::Dcgm).Notes.at(0),
            "readings are taken to be 1000 ms apart, the default of dcgmi dmon -d; say otherwise "
            "with --period");
}

TEST(DcgmLog, MayHaveTimesBeforeItsLines) {
  const ToolLog Log = parsed("1777708107.135 # Entity  POWER  SMCLK\n"
                             "1777708107.136       Id      W    MHz\n"
                             "1777708107.235 GPU 0   16.609   1410\n"
                             "1777708108.235 GPU 0   17.609   1410\n",
                             LogTool::Dcgm);
  EXPECT_NEAR(Log.Power.at(0).Readings.at(1).AtS - Log.Power[0].Readings[0].AtS, 1, 1e-6);
}

TEST(DcgmLog, MayHaveAnEnergyCounterAlone) {
  const ToolLog Log = parsed("#Entity TOTEC\nID mJ\nGPU 0 1000\nGPU 0 31000\nGPU 0 91000\n",
                             LogTool::Dcgm, ImportOptions{.PeriodS = 0.5});
  ASSERT_EQ(Log.Power.at(0).Readings.size(), 2u);
  EXPECT_NEAR(Log.Power[0].Readings[0].PowerW, 60, 1e-9); // 30 J in half a second
  EXPECT_NEAR(Log.Power[0].Readings[0].AtS, 0.25, 1e-9);
}

TEST(DcgmLog, SaysWhatIsWrong) {
  EXPECT_EQ(
      errorOf("#Entity SMCLK\n", LogTool::Dcgm),
      "log.csv: line 1: there is neither power nor energy; log fields 155, 100 and 101: dcgmi "
      "dmon -e 155,100,101 -d 100");
  EXPECT_EQ(
      errorOf("#Entity POWER\nID mW\n", LogTool::Dcgm),
      "log.csv: line 2: \"mW\" is not the unit that DCGM has for POWER; take the log as dcgmi "
      "dmon wrote it");
  EXPECT_EQ(errorOf("#Entity POWER\nID W\nGPU 0 N/A\n", LogTool::Dcgm),
            "log.csv: no reading has a power; write it with dcgmi dmon -e 155,100,101 -d 100");
}

} // namespace ergon
