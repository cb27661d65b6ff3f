//===- KernelTunerCacheTest.cpp - cache files of Kernel Tuner -------------===//

#include "test/formats/import/Parsed.h"

namespace ergon {

static const std::string Head =
    "{\n\"device_name\": \"NVIDIA RTX A4000\",\n\"kernel_name\": \"vector_add\",\n"
    "\"tune_params_keys\": [\n\"block_size_x\",\n\"nvml_gr_clock\"\n],\n\"tune_params\": "
    "{\"block_size_x\": [128, 192], \"nvml_gr_clock\": [1080]},\n\"cache\": {\n";
static const std::string First =
    "\"128,1080\": {\"block_size_x\": 128, \"nvml_gr_clock\": 1080, \"core_freq\": 1080.0, "
    "\"mem_freq\": 7001.0, \"gr_voltage\": 762.5, \"nvml_energy\": 0.25, \"nvml_power\": 80.0, "
    "\"time\": 3.125, \"times\": [3.1, 3.15], \"GFLOP/s\": 25.5, \"dram__bytes.sum\": 9.6e8, "
    "\"timestamp\": \"2026-06-04 07:40:27.255674+00:00\"}";
static const std::string Second =
    "\"192,1080\": {\"block_size_x\": 192, \"nvml_gr_clock\": 1080, \"core_freq\": 900.4, "
    "\"nvml_power\": 80.0, \"time\": 2.5, \"temperature\": NaN}";

TEST(KernelTunerCache, HasConfigurations) {
  const ToolLog Log = parsed(Head + First + ",\n" + Second + "}\n}\n", LogTool::KernelTuner);
  ASSERT_EQ(Log.Runs.size(), 2u);
  EXPECT_EQ(Log.Runs[0].Name, "vector_add/block_size_x=128");
  EXPECT_DOUBLE_EQ(Log.Runs[0].TimeS.value(), 3.125e-3);
  EXPECT_EQ(Log.Runs[0].EnergyJ, 0.25);
  EXPECT_EQ(Log.Runs[0].CoreMhz, 1080);
  EXPECT_EQ(Log.Runs[0].MemMhz, 7001);
  EXPECT_EQ(Log.Runs[0].CoreMv, 762.5);
  EXPECT_EQ(metricOf(Log.Runs[0], "dram__bytes.sum"), 9.6e8);
  EXPECT_EQ(Log.Rates, (std::vector<std::string>{"GFLOP/s"}));
  // Power times time, where no energy is; the real clock, where it is not the one asked for.
  EXPECT_DOUBLE_EQ(Log.Runs[1].EnergyJ.value(), 0.2);
  EXPECT_EQ(Log.Runs[1].CoreMhz, 900);
  ASSERT_EQ(Log.Notes.size(), 1u);
  EXPECT_EQ(Log.Notes[0], "1 configurations ran at another clock than was asked for (900.4 in the "
                          "place of 1080 MHz): their real one is taken");
}

TEST(KernelTunerCache, MayBeUnfinished) {
  for (const char *End : {",", ",\n", "", "\n"})
    EXPECT_EQ(parsed(Head + First + ",\n" + Second + End, LogTool::KernelTuner).Runs.size(), 2u)
        << End;
  EXPECT_EQ(parsed(Head + First + "}", LogTool::KernelTuner).Runs.size(), 1u);
  const ToolLog Cut = parsed(Head + First + ",\n" + Second.substr(0, 60), LogTool::KernelTuner);
  EXPECT_EQ(Cut.Runs.size(), 1u);
  EXPECT_EQ(Cut.Notes.at(0), "the last configuration is cut off and was left out");
}

TEST(KernelTunerCache, HasConfigurationsThatDidNotRun) {
  const ToolLog Log =
      parsed(Head + First +
                 ",\n\"192,1080\": {\"block_size_x\": 192, \"nvml_gr_clock\": 1080, "
                 "\"time\": \"CompilationFailedConfig\"}}}",
             LogTool::KernelTuner);
  EXPECT_EQ(Log.Runs.size(), 1u);
  EXPECT_EQ(Log.Notes.at(0), "1 configurations did not run and were left out");
}

TEST(KernelTunerCache, MayHaveAnEnergyOfTheUsersOwn) {
  const std::string Own = "\"128,1080\": {\"block_size_x\": 128, \"time\": 3.125, \"energy\": ";
  EXPECT_EQ(parsed(Head + Own + "0.25}}}", LogTool::KernelTuner).Runs.at(0).EnergyJ, 0.25);
  EXPECT_EQ(
      errorOf(Head + Own + "250.0}}}", LogTool::KernelTuner),
      "log.csv: /cache/128,1080: energy is a metric of the user's own, and no joules: it would "
      "be 8e+04 W; tune with an observer: nvml_energy, ps_energy");
}

TEST(KernelTunerCache, SaysWhatIsWrong) {
  EXPECT_EQ(errorOf("{\"results\": []}", LogTool::KernelTuner),
            "log.csv: is no cache file of Kernel Tuner: there is no \"cache\" beside "
            "\"kernel_name\"; give the file that tune_kernel(cache=…) writes");
  EXPECT_EQ(errorOf("{\"kernel_name\": \"f\", \"cache\": {}}", LogTool::KernelTuner),
            "log.csv: has no configuration that ran; tune until one runs");
  EXPECT_EQ(errorOf("{\"kernel_name\": \"f\", \"cache\": {\"1\": 2}}", LogTool::KernelTuner),
            "log.csv: /cache/1: is no configuration; take the file as Kernel Tuner wrote it");
}

} // namespace ergon
