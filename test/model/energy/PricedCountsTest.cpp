//===- PricedCountsTest.cpp - tests of PricedCounts.h ---------------------===//

#include "model/energy/PricedCounts.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ergon {
namespace {

/// 10 multiprocessors of 1 GHz, each of which issues one warp and looks up one line a cycle.
Machine machine() {
  Machine M;
  M.Kind = MachineKind::Gpu;
  Device &D = M.Topology.Gpu.emplace();
  D.Multiprocessors.Value = 10;
  for (const char *Class : {"warp_instructions", "l1_lines"})
    M.Timing.Throughputs[Class].PerS.Value = 10e9;
  M.Timing.Throughputs["latency_cycles"].PerS.Value = 1e9;
  return M;
}

double latencyOf(const Machine &M, std::map<std::string, Rational> Values) {
  CountValues Counts;
  Counts.Values = std::move(Values);
  return pricedCounts(M, Counts).Values["latency_cycles"].get_d();
}

TEST(PricedCounts, OneBlockHasOneMultiprocessor) {
  // 5,000 lines of one block are 5,000 cycles, though the machine could do ten a cycle.
  EXPECT_EQ(latencyOf(machine(), {{"blocks", 1}, {"l1_lines", 5000}, {"warp_instructions", 100}}),
            5000);
  // 12 blocks: two multiprocessors have two of them.
  EXPECT_EQ(latencyOf(machine(), {{"blocks", 12}, {"l1_lines", 12000}}), 2000);
  // What each warp waits for may take longer.
  EXPECT_EQ(latencyOf(machine(), {{"blocks", 12}, {"l1_lines", 12000}, {"latency_cycles", 9999}}),
            9999);
}

TEST(PricedCounts, BlocksThatFillAllAddNothing) {
  EXPECT_EQ(latencyOf(machine(), {{"blocks", 20}, {"l1_lines", 12000}}), 0);
}

TEST(PricedCounts, LaunchesAreOneAfterTheOther) {
  EXPECT_EQ(latencyOf(machine(), {{"blocks", 3}, {"launches", 3}, {"l1_lines", 3000}}), 3000);
}

TEST(PricedCounts, PartsOfAProgramSayHowOftenTheyAreLaunched) {
  CountValues Counts;
  Counts.Parts.resize(2);
  Counts.Parts[1].Values = {{"blocks", 300}, {"l1_lines", 3000}};
  Counts.Parts[1].Launches = Rational(300); // of one block each
  const CountValues Priced = pricedCounts(machine(), Counts);
  EXPECT_EQ(Priced.Parts[1].Values.at("latency_cycles"), Rational(3000));
}

TEST(PricedCounts, BothTimesTogetherAreThatOfTheBusiest) {
  Machine M = machine();
  M.Timing.OverlapExponent = Quantity{4, ""};
  const double Mean = 12000 / 10e9,
               Added = latencyOf(M, {{"blocks", 12}, {"l1_lines", 12000}}) / 1e9;
  EXPECT_NEAR(std::pow(std::pow(Mean, 4) + std::pow(Added, 4), 0.25), 2000 / 1e9, 1e-9);
}

TEST(PricedCounts, OfProcessorsStaysAsItIs) {
  Machine M;
  CountValues Counts;
  Counts.Values = {{"blocks", 1}, {"l1_lines", 5000}};
  EXPECT_EQ(pricedCounts(M, Counts).Values.size(), 2u);
}

} // namespace
} // namespace ergon
