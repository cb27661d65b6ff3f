//===- HostLogsTest.cpp - perf stat and likwid-perfctr --------------------===//

#include "test/formats/import/Parsed.h"

namespace ergon {

TEST(PerfLog, HasAnEventOnEachLine) {
  const ToolLog Log = parsed("# started on Thu Jan 14 11:42:23 2027\n\n"
                             "475.42,Joules,power/energy-pkg/,20005659301,100.00,,\n"
                             "48.10,Joules,power/energy-ram/,20005659301,100.00,,\n"
                             "310.00,Joules,power/energy-cores/,20005659301,100.00,,\n"
                             "10003000000,ns,duration_time,10003000000,100.00,,\n"
                             "7303786493,,branches:u,450266015517,62.50,0.31,of all\n"
                             "1024.5,MiB,uncore_imc_0/cas_count_read/,450266015517,100.00,,\n"
                             "1.5,MiB,uncore_imc_1/cas_count_read/,450266015517,100.00,,\n"
                             "<not counted>,,instructions,0,100.00,,\n",
                             LogTool::Perf, ImportOptions{.Workload = "solve"});
  ASSERT_EQ(Log.Runs.size(), 1u);
  EXPECT_EQ(Log.Runs[0].Name, "solve");
  EXPECT_DOUBLE_EQ(Log.Runs[0].EnergyJ.value(), 523.52); // not the cores, which are in the package
  EXPECT_DOUBLE_EQ(Log.Runs[0].TimeS.value(), 10.003);
  EXPECT_EQ(metricOf(Log.Runs[0], "branches"), 7303786493);
  EXPECT_EQ(metricOf(Log.Runs[0], "uncore_imc/cas_count_read/"), 1026 * 1048576.0);
  EXPECT_EQ(Log.Notes.size(), 3u); // not counted, scaled, left out
}

TEST(PerfLog, MayBeOfIntervals) {
  const ToolLog Log =
      parsed("     1.001048308,19.63,Joules,power/energy-pkg/,2002406532,100.00,,\n"
             "     2.002369058,19.41,Joules,power/energy-pkg/,2002617705,100.00,,\n",
             LogTool::Perf);
  EXPECT_DOUBLE_EQ(Log.Runs.at(0).EnergyJ.value(), 39.04);
  EXPECT_DOUBLE_EQ(Log.Runs[0].TimeS.value(), 2.002369058);
}

TEST(PerfLog, MayBeBySocketAndWithOtherSeparators) {
  const ToolLog Log = parsed("S0;1;10.5;Joules;power/energy-pkg/;2002406532;100.00;;\n"
                             "S1;1;11.5;Joules;power/energy-pkg/;2002406532;100.00;;\n"
                             "S0;1;2000.0;msec;cpu-clock;2000000000;100.00;8.000;CPUs utilized\n",
                             LogTool::Perf);
  EXPECT_DOUBLE_EQ(Log.Runs.at(0).EnergyJ.value(), 22);
  EXPECT_DOUBLE_EQ(Log.Runs[0].TimeS.value(), 0.25); // 2 s of 8 processors
}

TEST(PerfLog, MayHaveDecimalCommas) {
  EXPECT_DOUBLE_EQ(parsed("19,63;Joules;power/energy-pkg/;2002406532;100,00;;\n"
                          "1000000000;ns;duration_time;1000000000;100,00;;\n",
                          LogTool::Perf)
                       .Runs.at(0)
                       .EnergyJ.value(),
                   19.63);
  EXPECT_EQ(
      errorOf("1281,90,msec,task-clock:u,1281901128,100,00,4,CPUs utilized\n", LogTool::Perf),
      "log.csv: line 1: decimal commas stand between cells that commas separate; run perf with "
      "LC_ALL=C, or separate by another character: -x ';'");
  EXPECT_EQ(
      errorOf("25287216196,,instructions:u,1281901128,100,00,4,insn per cycle\n", LogTool::Perf)
          .substr(0, 40),
      "log.csv: line 1: decimal commas stand be");
}

TEST(PerfLog, MayHaveLinesOfDerivedValues) {
  const ToolLog Log = parsed("0,,duration_time,1,100.00,,\n"
                             "1500.0,msec,task-clock:u,1519190989,100.00,0.5,CPUs utilized\n"
                             "319218186844,,instructions:u,24680525338,85.00,2.62,insn per cycle\n"
                             ",,,,,0.02,stalled cycles per insn\n"
                             ",648266,100.00,,,,TopdownL1 (cpu_atom)\n",
                             LogTool::Perf);
  EXPECT_DOUBLE_EQ(Log.Runs.at(0).TimeS.value(), 3); // duration_time is not 0
  EXPECT_EQ(Log.Notes.size(), 1u);                   // scaled
}

TEST(PerfLog, HasTheClockOfATask) {
  const ToolLog Log = parsed("3000000000,,cycles,1000000000,100.00,3.0,GHz\n"
                             "1000.0,msec,task-clock,1000000000,100.00,0.5,CPUs utilized\n",
                             LogTool::Perf);
  EXPECT_DOUBLE_EQ(Log.Runs.at(0).CoreMhz.value(), 3000);
  EXPECT_DOUBLE_EQ(Log.Runs[0].TimeS.value(), 2);
}

TEST(PerfLog, SaysWhatIsWrong) {
  EXPECT_EQ(
      errorOf("475.42,,power/energy-pkg/,20005659301,100.00,,\n", LogTool::Perf),
      "log.csv: line 1: the unit of power/energy-pkg/ is missing; keep the column of units as "
      "perf stat -x writes it: Joules");
  EXPECT_EQ(errorOf("475.42,Joules,power/energy-pkg/,20005659301,100.00,,\n", LogTool::Perf),
            "log.csv: does not say how long the program ran; count duration_time too: perf stat -e "
            "duration_time,…; or give --time");
  EXPECT_EQ(
      errorOf("2.0,1.0,Joules,power/energy-pkg/,1,100.00,,\n"
              "1.0,1.0,Joules,power/energy-pkg/,1,100.00,,\n",
              LogTool::Perf),
      "log.csv: line 2: the time is earlier than that of the line before; give one run of perf "
      "stat -I at a time");
  EXPECT_EQ(errorOf(" Performance counter stats for 'sleep 10':\n", LogTool::Perf).substr(0, 42),
            "log.csv: has no events of perf stat -x; wr");
}

static constexpr const char *Likwid =
    "STRUCT,Info,3,,\n"
    "CPU name:,Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz,,,\n"
    "TABLE,Region triad,Group 1 Raw,MEM_DP,8\n"
    "Region Info,HWThread 0,HWThread 1,,\n"
    "RDTSC Runtime [s],2.500000,2.400000,,\n"
    "call count,10,10,,\n"
    "Event,Counter,HWThread 0,HWThread 1,\n"
    "PWR_PKG_ENERGY,PWR0,210.5,0,\n"
    "FP_ARITH_INST_RETIRED_256B_PACKED_DOUBLE,PMC2,1000,1000,\n"
    "FP_ARITH_INST_RETIRED_512B_PACKED_DOUBLE,PMC3,10,-,\n"
    "TABLE,Region triad,Group 1 Raw STAT,MEM_DP,8\n"
    "Event,Counter,Sum,Min,Max,Avg\n"
    "FP_ARITH_INST_RETIRED_256B_PACKED_DOUBLE STAT,PMC2,2000,1000,1000,1000\n"
    "TABLE,Region triad,Group 1 Metric,MEM_DP,9\n"
    "Metric,HWThread 0,HWThread 1,,\n"
    "Runtime (RDTSC) [s],2.5000,2.4000,,\n"
    "Clock [MHz],2400.1,2399.9,,\n"
    "Energy [J],210.5000,0,,\n"
    "Power [W],84.2000,0,,\n"
    "Energy DRAM [J],31.5000,0,,\n"
    "DP [MFLOP/s],3.4,3.6,,\n"
    "Memory data volume [GBytes],12.5,0,,\n";

TEST(LikwidLog, HasTablesOfRegions) {
  const ToolLog Log = parsed(Likwid, LogTool::Likwid);
  ASSERT_EQ(Log.Runs.size(), 1u);
  EXPECT_EQ(Log.Runs[0].Name, "triad");
  EXPECT_EQ(Log.Runs[0].TimeS, 2.5); // that of the slowest thread
  EXPECT_EQ(Log.Runs[0].EnergyJ, 242);
  EXPECT_NEAR(Log.Runs[0].CoreMhz.value(), 2400, 1e-9);
  EXPECT_EQ(metricOf(Log.Runs[0], "Memory data volume"), 12.5e9);
  EXPECT_EQ(metricOf(Log.Runs[0], "FP_ARITH_INST_RETIRED_256B_PACKED_DOUBLE"), 2000);
  EXPECT_EQ(metricOf(Log.Runs[0], "FP_ARITH_INST_RETIRED_512B_PACKED_DOUBLE"), 10);
  EXPECT_DOUBLE_EQ(metricOf(Log.Runs[0], "DP flops"), 7e6 * 2.5);
}

TEST(LikwidLog, MayHaveNoRegions) {
  const ToolLog Log = parsed("TABLE,Group 1 Metric,ENERGY,3\nMetric,Core 0\n"
                             "Runtime (RDTSC) [s],1.5\nEnergy [J],90\n",
                             LogTool::Likwid, ImportOptions{.Workload = "stream"});
  EXPECT_EQ(Log.Runs.at(0).Name, "stream");
  EXPECT_EQ(Log.Runs[0].EnergyJ, 90);
}

TEST(LikwidLog, SaysWhatIsWrong) {
  EXPECT_EQ(
      errorOf("TABLE,Group 1 Metric,ENERGY,3\nMetric,Core 0\nRuntime (RDTSC) [s],1.5\n"
              "Energy,90\n",
              LogTool::Likwid),
      "log.csv: the unit of Energy is missing; keep the names as likwid-perfctr -O writes them");
  EXPECT_EQ(
      errorOf("TABLE,Group 1 Metric,ENERGY,3\nMetric,Core 0\nEnergy [J],90\n", LogTool::Likwid),
      "log.csv: does not say how long Group 1 ran; take a group of likwid with Runtime (RDTSC) "
      "[s], such as ENERGY");
  EXPECT_EQ(errorOf("| Energy [J] | 90 |\n", LogTool::Likwid).substr(0, 45),
            "log.csv: has no tables of likwid-perfctr; wri");
}

} // namespace ergon
