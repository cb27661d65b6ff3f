//===- MetricClassesTest.cpp - counters of tools as cost classes ----------===//

#include "model/measurements/MetricClasses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ergon {

/// The units of \p Class that \p Metrics make; -1 for none.
static double units(const std::vector<Metric> &Metrics, std::string_view Class) {
  for (const ClassCount &Count : classifyMetrics(Metrics, {}).Counts)
    if (Count.Class == Class)
      return Count.Units;
  return -1;
}

TEST(MetricClasses, AreWhatTheToolsDocument) {
  // matrixMul of NVIDIA's samples on a GTX 1080 Ti: 65536000 fused operations are 131072000 flops.
  EXPECT_EQ(
      units({{"flop_count_sp_add", 0}, {"flop_count_sp_mul", 0}, {"flop_count_sp_fma", 65536000}},
            "flops_f32"),
      131072000);
  EXPECT_EQ(units({{"flop_count_sp", 131072000}, {"flop_count_sp_fma", 65536000}}, "flops_f32"),
            131072000);
  EXPECT_EQ(units({{"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", 1},
                   {"sm__sass_thread_inst_executed_op_dmul_pred_on.sum", 10},
                   {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", 100}},
                  "flops_f64"),
            211);
  EXPECT_EQ(
      units({{"dram_read_transactions", 11963}, {"dram_write_transactions", 25956}}, "bytes_dram"),
      32.0 * (11963 + 25956));
  EXPECT_EQ(units({{"dram__bytes_read.sum", 5}, {"dram__bytes_write.sum", 7}}, "bytes_dram"), 12);
  EXPECT_EQ(
      units({{"shared_load_transactions", 2}, {"shared_store_transactions", 1}}, "bytes_shared"),
      384);
  EXPECT_EQ(units({{"fp_arith_inst_retired.scalar_double", 1},
                   {"fp_arith_inst_retired.128b_packed_double", 10},
                   {"FP_ARITH_INST_RETIRED_256B_PACKED_DOUBLE", 100}},
                  "flops_f64"),
            421);
}

TEST(MetricClasses, AreNotMadeOfAPart) {
  const ClassifiedMetrics Found = classifyMetrics({{"dram_read_transactions", 5}}, {});
  EXPECT_TRUE(Found.Counts.empty());
  ASSERT_EQ(Found.Partly.size(), 1u);
  EXPECT_EQ(Found.Partly[0].Class, "bytes_dram");
  EXPECT_THAT(Found.Partly[0].Missing, testing::ElementsAre("dram_write_transactions"));
}

TEST(MetricClasses, NameWhatIsLeft) {
  const ClassifiedMetrics Found =
      classifyMetrics({{"gld_transactions", 5}, {"flop_count_sp", 1}, {"achieved_occupancy", 0.5}},
                      {{"gld_transactions", "loads_global"}});
  EXPECT_THAT(Found.Unmapped, testing::ElementsAre("achieved_occupancy"));
  ASSERT_EQ(Found.Counts.size(), 2u);
  EXPECT_EQ(Found.Counts[0].Class, "loads_global");
  EXPECT_EQ(Found.Counts[0].Units, 5);
}

} // namespace ergon
