//===- NcuLogTest.cpp - ncu --csv -----------------------------------------===//

#include "test/formats/import/Parsed.h"

namespace ergon {

static std::string longRow(int Id, const char *Kernel, const char *Name, const char *Unit,
                           const char *Value) {
  return "\"" + std::to_string(Id) + "\",\"123\",\"app\",\"host\",\"" + Kernel +
         "\",\"1\",\"7\",\"(256, 1, 1)\",\"(1, 8, 1)\",\"0\",\"8.0\",\"Section\",\"" + Name +
         "\",\"" + Unit + "\",\"" + Value + "\"\n";
}

static const std::string LongHeader =
    "==PROF== Connected to process 123\n"
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\","
    "\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric "
    "Unit\",\"Metric Value\"\n";

TEST(NcuLog, HasARowForEachMetric) {
  const ToolLog Log =
      parsed(LongHeader + longRow(0, "f(int *)", "gpu__time_duration.sum", "usecond", "1,250.50") +
                 longRow(0, "f(int *)", "dram__bytes_read.sum", "Mbyte", "12.5") +
                 longRow(0, "f(int *)", "dram__throughput.avg.pct_of_peak_sustained_elapsed", "%",
                         "14.26") +
                 longRow(1, "f(int *)", "gpu__time_duration.sum", "msecond", "2.00") +
                 longRow(1, "f(int *)", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
                         "inst", "5,000,000,000") +
                 "==PROF== Disconnected from process 123\n",
             LogTool::Ncu);
  ASSERT_EQ(Log.Runs.size(), 2u);
  EXPECT_EQ(Log.Runs[0].Shape, "1x8x1:256x1x1");
  EXPECT_DOUBLE_EQ(Log.Runs[0].TimeS.value(), 1250.5e-6);
  EXPECT_DOUBLE_EQ(metricOf(Log.Runs[0], "dram__bytes_read.sum"), 12.5e6);
  EXPECT_DOUBLE_EQ(Log.Runs[1].TimeS.value(), 2e-3);
  EXPECT_EQ(metricOf(Log.Runs[1], "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"), 5e9);
  EXPECT_EQ(Log.Rates.size(), 1u);
}

TEST(NcuLog, HasPrettyNamesOfTheDetailsPage) {
  const ToolLog Log =
      parsed(LongHeader + longRow(0, "f", "DRAM Frequency", "cycle/nsecond", "1.21") +
                 longRow(0, "f", "SM Frequency", "Ghz", "1.41") +
                 longRow(0, "f", "Duration", "ns", "2,848") +
                 longRow(0, "f", "Memory Throughput", "%", "45.7"),
             LogTool::Ncu);
  ASSERT_EQ(Log.Runs.size(), 1u);
  EXPECT_NEAR(Log.Runs[0].CoreMhz.value(), 1410, 1e-9);
  EXPECT_NEAR(Log.Runs[0].MemMhz.value(), 1210, 1e-9);
  EXPECT_DOUBLE_EQ(Log.Runs[0].TimeS.value(), 2848e-9);
}

TEST(NcuLog, HasAColumnForEachMetric) {
  const ToolLog Log =
      parsed("==PROF== Connected to process 1\nprogram output, with a comma\n"
             "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"gpu__time_duration.sum\","
             "\"dram__bytes.sum\",\"launch__registers_per_thread\"\n"
             "\"\",\"\",\"\",\"\",\"nsecond\",\"Kbyte\",\"register/thread\"\n"
             "\"0\",\"f(int)\",\"(32, 1, 1)\",\"(2, 1, 1)\",\"1,234,000\",\"98.5\",\"32\"\n"
             "\"1\",\"f(int)\",\"(64, 1, 1)\",\"(2, 1, 1)\",\"2,000\",\"1.5\",\"32\"\n",
             LogTool::Ncu);
  ASSERT_EQ(Log.Runs.size(), 2u);
  EXPECT_DOUBLE_EQ(Log.Runs[0].TimeS.value(), 1.234e-3);
  EXPECT_DOUBLE_EQ(metricOf(Log.Runs[0], "dram__bytes.sum"), 98500);
  EXPECT_EQ(Log.Runs[1].Shape, "2x1x1:64x1x1");
}

TEST(NcuLog, HasMeansOfASummary) {
  const ToolLog Log =
      parsed("\"Process ID\",\"Kernel Name\",\"Invocations\",\"Section Name\",\"Metric "
             "Name\",\"Metric Unit\",\"Minimum\",\"Maximum\",\"Average\"\n"
             "\"1\",\"f\",\"2\",\"S\",\"Duration\",\"us\",\"1\",\"3\",\"2\"\n",
             LogTool::Ncu);
  ASSERT_EQ(Log.Runs.size(), 1u);
  EXPECT_EQ(Log.Runs[0].Launches, 2);
  EXPECT_DOUBLE_EQ(Log.Runs[0].TimeS.value(), 2e-6);
}

TEST(NcuLog, MayHaveDecimalCommas) {
  const ToolLog Log =
      parsed(LongHeader + longRow(0, "f", "gpu__time_duration.sum", "ns", "117.344") +
                 longRow(0, "f", "dram__bytes.sum", "byte", "27.595.520") +
                 longRow(0, "f", "sm__throughput.avg.pct", "%", "65,77"),
             LogTool::Ncu);
  ASSERT_EQ(Log.Runs.size(), 1u);
  EXPECT_DOUBLE_EQ(Log.Runs[0].TimeS.value(), 117344e-9);
  EXPECT_EQ(metricOf(Log.Runs[0], "dram__bytes.sum"), 27595520);
}

TEST(NcuLog, SaysWhatIsWrong) {
  EXPECT_EQ(
      errorOf("\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"0\",\"f\",\"123\"\n",
              LogTool::Ncu),
      "log.csv: line 2: the unit of gpu__time_duration.sum is missing; keep the row or column "
      "of units that ncu --csv writes");
  EXPECT_EQ(errorOf(LongHeader + longRow(0, "f", "dram__bytes.sum", "inst", "5"), LogTool::Ncu),
            "log.csv: line 3: the unit of dram__bytes.sum is \"inst\", which is no unit of bytes; "
            "keep the row or column of units that ncu --csv writes");
  EXPECT_EQ(errorOf(LongHeader + longRow(0, "f", "a__b.sum", "", "1,25") +
                        longRow(0, "f", "a__c.sum", "", "1.25"),
                    LogTool::Ncu),
            "log.csv: has numbers with decimal points and others with decimal commas; run ncu with "
            "LC_ALL=C, and join no files of different locales");
  EXPECT_EQ(
      errorOf("==ERROR== The application returned an error code (11).\n", LogTool::Ncu),
      "log.csv: has no table of Nsight Compute; write it with ncu --csv --page raw --log-file "
      "FILE");
}

} // namespace ergon
