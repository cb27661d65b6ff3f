//===- ImportFormatTest.cpp - which tool wrote a log ----------------------===//

#include "test/formats/import/Parsed.h"

namespace ergon {

TEST(ImportFormat, IsRecognized) {
  const std::pair<const char *, LogTool> Logs[] = {
      {"==7== NVPROF is profiling process 7, command: ./a\n", LogTool::Nvprof},
      {"output of the program\n\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n",
       LogTool::Nvprof},
      {"==PROF== Connected to process 1\n", LogTool::Ncu},
      {"\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n", LogTool::Ncu},
      {"timestamp, power.draw [W]\n", LogTool::NvidiaSmi},
      {"2019/08/23 14:54:47.307, 208.36 W\n", LogTool::NvidiaSmi},
      {"# gpu   pwr gtemp\n", LogTool::NvidiaSmi},
      {"#Entity   POWER   TOTEC\n", LogTool::Dcgm},
      {"# Entity  GRACT   POWER\n", LogTool::Dcgm},
      {"# started on Thu\n\n475.42,Joules,power/energy-pkg/,20005659301,100.00,,\n", LogTool::Perf},
      {"  1.0010,19.63,Joules,power/energy-pkg/,2002406532,100.00,,\n", LogTool::Perf},
      {"100;;cycles;2002406532;100.00;;\n", LogTool::Perf},
      {"<not supported>,,cycles,0,100.00,,\n", LogTool::Perf},
      {"TABLE,Group 1 Raw,ENERGY,5\n", LogTool::Likwid},
      {"2019/08/23 14:54:47, step 1\ntimestamp: 2\nTABLE,Group 1 Raw,ENERGY,5\n", LogTool::Likwid},
      {"timestamp, clocks.sm [MHz]\n", LogTool::NvidiaSmi},
      {"{\"device_name\": \"A4000\",", LogTool::KernelTuner},
  };
  for (const auto &[Text, Tool] : Logs)
    EXPECT_EQ(recognizedTool(Text), Tool) << Text;
  for (const char *None : {"", "hello\n", "workload,core_mhz,mem_mhz\na,1,2\n"})
    EXPECT_EQ(recognizedTool(None), std::nullopt) << None;
}

} // namespace ergon
