//===- NvprofLogTest.cpp - nvprof --csv -----------------------------------===//

#include "test/formats/import/Parsed.h"

namespace ergon {

static constexpr const char *Trace =
    "==7== NVPROF is profiling process 7, command: ./matrixMul\n"
    "[Matrix Multiply Using CUDA] - Starting...\n"
    "==7== Profiling application: ./matrixMul\n"
    "==7== Profiling result:\n"
    "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\","
    "\"Registers Per Thread\",\"Static SMem\",\"Dynamic SMem\",\"Size\",\"Throughput\",\"Device\","
    "\"Context\",\"Stream\",\"Name\"\n"
    "s,us,,,,,,,,KB,B,KB,MB/s,,,,\n"
    "0.133382,102.500,,,,,,,,,,400.0,3797.0,\"GeForce GT 640M LE (0)\",\"1\",\"7\",\"[CUDA memcpy "
    "HtoD]\"\n"
    "0.134000,3707.5,20,10,1,32,32,1,29,8.1,0,,,\"GeForce GT 640M LE (0)\",\"1\",\"7\",\"void "
    "matrixMulCUDA<int=32>(float*, float*, float*, int, int) [94]\"\n"
    "Performance= 35.35 GFlop/s, Time= 3.708 msec, Size= 131072000 Ops\n"
    "0.138000,3709.5,20,10,1,32,32,1,29,8.1,0,,,\"GeForce GT 640M LE (0)\",\"1\",\"7\",\"void "
    "matrixMulCUDA<int=32>(float*, float*, float*, int, int) [105]\"\n";

TEST(NvprofLog, HasLaunchesOfATrace) {
  const ToolLog Log = parsed(Trace, LogTool::Nvprof);
  ASSERT_EQ(Log.Runs.size(), 2u);
  EXPECT_EQ(Log.Runs[0].Name, "void matrixMulCUDA<int=32>(float*, float*, float*, int, int)");
  EXPECT_EQ(Log.Runs[0].Shape, "20x10x1:32x32x1");
  EXPECT_EQ(Log.Runs[0].Device, "0");
  EXPECT_DOUBLE_EQ(Log.Runs[0].StartS.value(), 0.134);
  EXPECT_DOUBLE_EQ(Log.Runs[0].TimeS.value(), 3707.5e-6);
  ASSERT_EQ(Log.Notes.size(), 1u);
  EXPECT_EQ(Log.Notes[0], "1 rows of copies and fills were left out: they are no kernels");
}

TEST(NvprofLog, HasMeansOfASummary) {
  // Before CUDA 9 there is no Type, and API calls have a table of their own.
  const ToolLog Old = parsed("==7== Profiling result:\n"
                             "\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
                             "%,s,,ms,ms,ms,\n"
                             "99.94,1.11524,301,3.7051,3.6928,3.7174,\"f(int)\"\n"
                             "==7== API calls:\n"
                             "\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
                             "%,ms,,ms,ms,ms,\n"
                             "49.81,285.17,3,95.055,0.153,284.86,\"cudaMalloc\"\n",
                             LogTool::Nvprof);
  ASSERT_EQ(Old.Runs.size(), 1u);
  EXPECT_EQ(Old.Runs[0].Launches, 301);
  EXPECT_DOUBLE_EQ(Old.Runs[0].TimeS.value(), 3.7051e-3);
  const ToolLog New =
      parsed("\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
             ",%,us,,us,us,us,\n"
             "\"GPU activities\",78.0,7570.5,11,688.25,684.1,693.2,\"f(int)\"\n"
             "\"API calls\",15.4,1493.2,8,186.6,1.3,1493.2,\"cudaLaunchKernel\"\n",
             LogTool::Nvprof);
  ASSERT_EQ(New.Runs.size(), 1u);
  EXPECT_DOUBLE_EQ(New.Runs[0].TimeS.value(), 688.25e-6);
}

TEST(NvprofLog, MayHaveUnitsInCellsAndNamesWithoutQuotes) {
  const ToolLog Log =
      parsed("Time(%),Time,Calls,Avg,Min,Max,Name\n"
             "47.79%,542.36ms,45,12.052ms,12.007ms,12.110ms,[CUDA memcpy HtoD]\n"
             "20.92%,237.43ms,150,1.5829ms,1.5103ms,2.1174ms,red(float*, int, int)\n",
             LogTool::Nvprof);
  ASSERT_EQ(Log.Runs.size(), 1u);
  EXPECT_EQ(Log.Runs[0].Name, "red(float*, int, int)");
  EXPECT_DOUBLE_EQ(Log.Runs[0].TimeS.value(), 1.5829e-3);
}

TEST(NvprofLog, HasCountersOfAMetricsTable) {
  const ToolLog Log = parsed(
      "==7== Metric result:\n"
      "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\","
      "\"Max\",\"Avg\"\n"
      "\"Tesla K20c (1)\",\"f(int, int)\",3,\"flop_count_sp\",\"Floating Point "
      "Operations\",1,3,2000\n"
      "\"Tesla K20c (1)\",\"f(int, int)\",3,\"dram_read_throughput\",\"Throughput\",1GB/s,1GB/s,"
      "1GB/s\n"
      "\"Tesla K20c (1)\",\"f(int, int)\",3,\"l2_utilization\",\"Utilization\",\"Low (2)\",\"Low "
      "(2)\",\"Low (2)\"\n"
      "\"Tesla K20c (1)\",\"g()\",1,\"flop_count_sp\",\"Floating Point Operations\",7,7,7\n",
      LogTool::Nvprof);
  ASSERT_EQ(Log.Runs.size(), 2u);
  EXPECT_EQ(Log.Runs[0].Launches, 3);
  EXPECT_EQ(Log.Runs[0].Device, "1");
  EXPECT_EQ(metricOf(Log.Runs[0], "flop_count_sp"), 2000);
  EXPECT_FALSE(Log.Runs[0].TimeS);
  EXPECT_EQ(Log.Rates, (std::vector<std::string>{"dram_read_throughput", "l2_utilization"}));
}

TEST(NvprofLog, HasCountersOfEachLaunch) {
  const ToolLog Log = parsed("\"Device\",\"Context\",\"Stream\",\"Kernel\",\"Correlation_ID\","
                             "\"flop_count_sp\",\"dram_read_throughput\"\n"
                             "\"Tesla K20c (0)\",\"1\",\"7\",\"f(int) [94]\",94,100,5.5GB/s\n"
                             "\"Tesla K20c (0)\",\"1\",\"7\",\"f(int) [98]\",98,300,5.5GB/s\n",
                             LogTool::Nvprof);
  ASSERT_EQ(Log.Runs.size(), 2u);
  EXPECT_EQ(Log.Runs[0].Name, "f(int)");
  EXPECT_EQ(metricOf(Log.Runs[1], "flop_count_sp"), 300);
}

TEST(NvprofLog, HasTablesOfNsys) {
  const ToolLog Log =
      parsed("Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,Name\n"
             "1000000,2500,94,20,10,1,32,32,1,29,f(int)\n",
             LogTool::Nvprof);
  ASSERT_EQ(Log.Runs.size(), 1u);
  EXPECT_DOUBLE_EQ(Log.Runs[0].StartS.value(), 1e-3);
  EXPECT_DOUBLE_EQ(Log.Runs[0].TimeS.value(), 2.5e-6);
  const ToolLog Sum = parsed("Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max "
                             "(ns),StdDev (ns),Name\n"
                             "100.0,5000,2,2500.0,2500.0,2400,2600,100.0,f(int)\n",
                             LogTool::Nvprof);
  ASSERT_EQ(Sum.Runs.size(), 1u);
  EXPECT_EQ(Sum.Runs[0].Launches, 2);
  EXPECT_DOUBLE_EQ(Sum.Runs[0].TimeS.value(), 2.5e-6);
}

TEST(NvprofLog, SaysWhatIsWrong) {
  const std::string Text = Trace;
  auto Without = [&](std::string_view Line) {
    std::string Result = Text;
    Result.erase(Result.find(Line), Line.size());
    return Result;
  };
  EXPECT_EQ(
      errorOf(Without("s,us,,,,,,,,KB,B,KB,MB/s,,,,\n"), LogTool::Nvprof),
      "log.csv: line 7: the column Start has no unit; keep the row of units that nvprof writes "
      "below the column names: ms,ms,…");
  std::string Odd = Text;
  Odd.replace(Odd.find("s,us,"), 5, "s,lb,");
  EXPECT_EQ(
      errorOf(Odd, LogTool::Nvprof),
      "log.csv: line 8: \"lb\" of the column Duration is no unit of time; keep the row of units "
      "that nvprof writes below the column names: ms,ms,…");
  EXPECT_EQ(errorOf("==7== Profiling result:\nTime(%)      Time     Calls       Avg  Name\n",
                    LogTool::Nvprof),
            "log.csv: line 2: is nvprof's text for people; profile with nvprof --csv");
  EXPECT_EQ(
      errorOf("\"Start\";\"Duration\";\"Name\"\n", LogTool::Nvprof),
      "log.csv: line 1: cells are separated by semicolons; take the file as nvprof --csv wrote "
      "it: separated by commas");
  EXPECT_EQ(errorOf("==7== NVPROF is profiling process 7\n==7== No kernels were profiled.\n",
                    LogTool::Nvprof),
            "log.csv: line 2: nvprof profiled no kernels; profile a program that launches some");
  EXPECT_EQ(errorOf("hello\n", LogTool::Nvprof).substr(0, 36),
            "log.csv: has no table of nvprof; wri");
}

TEST(NvprofLog, MayBeCutOff) {
  const std::string Text = Trace;
  const ToolLog Log = parsed(std::string_view(Text).substr(0, Text.size() - 40), LogTool::Nvprof);
  EXPECT_EQ(Log.Runs.size(), 1u);
  ASSERT_EQ(Log.Notes.size(), 2u);
  EXPECT_EQ(Log.Notes[0], "line 10 is cut off and was left out");
}

} // namespace ergon
