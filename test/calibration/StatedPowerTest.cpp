//===- StatedPowerTest.cpp - energies of a machine without a meter --------===//
//
// 60 W idle and 210 W busy, on numbers small enough to work out by hand.
//
//===----------------------------------------------------------------------===//

#include "calibration/StatedPower.h"

#include <gtest/gtest.h>

using namespace ergon;

/// Two threads at 2.5 GHz that reach 4 lanes of two multiply-adds each: 2·2.5e9·16 flops a second.
static Machine machine() {
  Machine M;
  M.Timing.Throughputs["flops_f64"].PerS = {8e10, "m"};
  M.Timing.Throughputs["bytes_dram"].PerS = {2e10, "m"};
  M.Timing.Throughputs["bytes_l2"].PerS = {1e11, "m"};
  M.Timing.InCore.emplace().CoreHz = MeasuredQuantity{{2.5e9, "m"}, 2.5e9, 2.5e9};
  return M;
}

TEST(StatedPower, AllFlopsDrawWhatABusyMachineDrawsMore) {
  Machine M = machine();
  addEnergies(M, {60, 210}, 2, "law");
  EXPECT_DOUBLE_EQ(M.Power.Constant.MiscW->Value, 60);
  EXPECT_DOUBLE_EQ(M.Power.Energies.at("flops_f64").Coefficient.Value, 150 / 8e10);
  // Streams of memory draw (0.717 - 0.288)/(1.005 - 0.288) of it.
  EXPECT_NEAR(M.Power.Energies.at("bytes_dram").Coefficient.Value * 2e10, 150 * 0.5983, 0.01);
  EXPECT_NEAR(M.Power.Energies.at("bytes_l2").Coefficient.Value * 20,
              M.Power.Energies.at("bytes_dram").Coefficient.Value, 1e-15);
  // 2·2.5e9·2 operations a second; four lanes count as two.
  EXPECT_DOUBLE_EQ(M.Power.Energies.at("int_ops").Coefficient.Value, 150 / 1e10 / 2);
  EXPECT_FALSE(M.Power.Energies.contains("bytes_l3")); // no rate of it is known
  EXPECT_EQ(M.Fit.Quality->EnergyError->Source, "law");
}

TEST(StatedPower, WithoutAClockOperationsHaveNoPrice) {
  Machine M = machine();
  M.Timing.InCore.reset();
  addEnergies(M, {60, 210}, 2, "law");
  EXPECT_TRUE(M.Power.Energies.contains("flops_f64"));
  EXPECT_FALSE(M.Power.Energies.contains("int_ops"));
}

TEST(StatedPower, WhatIsStated) {
  EXPECT_FALSE(statedPower({}, {}, {})->has_value());
  EXPECT_DOUBLE_EQ((*statedPower(60, 210, {}))->BusyW, 210);
  EXPECT_DOUBLE_EQ((*statedPower({}, {}, 100))->IdleW, 28.8);
  EXPECT_DOUBLE_EQ((*statedPower({}, {}, 100))->BusyW, 100);
  EXPECT_EQ(statedPower(60, {}, {}).error().File, "--idle-w");
  for (auto [Idle, Busy] : {std::pair{60.0, 60.0}, {0.0, 50.0}, {-1.0, 50.0}, {70.0, 60.0}})
    EXPECT_FALSE(statedPower(Idle, Busy, {}));
  EXPECT_FALSE(statedPower({}, {}, 0));
}
