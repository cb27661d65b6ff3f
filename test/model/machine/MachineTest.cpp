//===- MachineTest.cpp - what operations cost on a machine ----------------===//

#include "model/machine/Machine.h"
#include "model/machine/CostClass.h"

#include <gtest/gtest.h>

using namespace ergon;

/// Two settings, one class of each kind of cost. Numbers are chosen so that the
/// expected values below can be worked out in the head.
static Machine machineWithSettings() {
  Machine M;
  M.Settings = {{1000, 800, 1000, 500, "s"}, {500, 800, 800, 500, "s"}, {500, 400, 800, 250, "s"}};
  M.Default = 1;
  M.Timing.Throughputs["flops_f64"] = {{4e9, "s"}, Domain::Core, 1000};
  M.Timing.Throughputs["bytes_dram"] = {{2e9, "s"}, Domain::Mem, 800};
  M.Timing.Throughputs["branches"] = {{1e9, "s"}, std::nullopt, 0};
  M.Power.Energies["flops_f64"] = {{100, "s"}, Domain::Core};
  M.Power.Energies["bytes_dram"] = {{400, "s"}, Domain::Mem};
  M.Power.Energies["int_ops"] = {{7, "s"}, std::nullopt};
  M.Power.Constant = {Quantity{1, "s"}, Quantity{10, "s"}, Quantity{20, "s"}};
  return M;
}

TEST(Machine, EnergyFollowsTheSquareOfTheVoltage) {
  const Machine M = machineWithSettings();
  EXPECT_DOUBLE_EQ(M.energyPerUnit("flops_f64", M.Settings[0]).value(), 100);
  EXPECT_DOUBLE_EQ(M.energyPerUnit("flops_f64", M.Settings[1]).value(), 64); // 100·0.8²
  EXPECT_DOUBLE_EQ(M.energyPerUnit("bytes_dram", M.Settings[1]).value(), 100);
  EXPECT_DOUBLE_EQ(M.energyPerUnit("bytes_dram", M.Settings[2]).value(), 25);
}

TEST(Machine, FixedCostsAreTheSameAtEverySetting) {
  const Machine M = machineWithSettings();
  for (const Setting &S : M.Settings) {
    EXPECT_DOUBLE_EQ(M.energyPerUnit("int_ops", S).value(), 7);
    EXPECT_DOUBLE_EQ(M.timePerUnit("branches", S).value(), 1e-9);
  }
}

TEST(Machine, TimeFollowsTheClockOfItsDomain) {
  const Machine M = machineWithSettings();
  EXPECT_DOUBLE_EQ(M.timePerUnit("flops_f64", M.Settings[0]).value(), 0.25e-9);
  EXPECT_DOUBLE_EQ(M.timePerUnit("flops_f64", M.Settings[1]).value(), 0.5e-9);
  EXPECT_DOUBLE_EQ(M.timePerUnit("bytes_dram", M.Settings[1]).value(), 0.5e-9);
  EXPECT_DOUBLE_EQ(M.timePerUnit("bytes_dram", M.Settings[2]).value(), 1e-9);
}

TEST(Machine, ConstantPowerIsLinearInBothVoltages) {
  const Machine M = machineWithSettings();
  EXPECT_DOUBLE_EQ(M.constantPower(M.Settings[0]).value(), 1 + 10 + 10);
  EXPECT_DOUBLE_EQ(M.constantPower(M.Settings[1]).value(), 1 + 8 + 10);
  EXPECT_DOUBLE_EQ(M.constantPower(M.Settings[2]).value(), 1 + 8 + 5);
}

TEST(Machine, WhatTheProfileDoesNotSayIsAbsent) {
  const Machine M = machineWithSettings();
  EXPECT_FALSE(M.energyPerUnit("branches", M.Settings[0]));
  EXPECT_FALSE(M.timePerUnit("int_ops", M.Settings[0]));
  EXPECT_FALSE(M.energyPerUnit("no_such_class", M.Settings[0]));
  const Setting Nothing;
  EXPECT_FALSE(M.energyPerUnit("flops_f64", Nothing));
  EXPECT_FALSE(M.timePerUnit("flops_f64", Nothing));
  EXPECT_FALSE(M.constantPower(Nothing));
  EXPECT_DOUBLE_EQ(M.energyPerUnit("int_ops", Nothing).value(), 7);
}

TEST(Machine, AMachineWithoutSettingsHasOne) {
  const Machine M;
  EXPECT_EQ(M.Settings.size(), 1u);
  EXPECT_FALSE(M.defaultSetting().CoreMhz);
  EXPECT_FALSE(M.constantPower(M.defaultSetting())); // nobody stated it
}

TEST(Machine, FindSettingWantsExactlyOne) {
  const Machine M = machineWithSettings();
  EXPECT_EQ(M.findSetting(1000, 800), &M.Settings[0]);
  EXPECT_EQ(M.findSetting(1000, std::nullopt), &M.Settings[0]);
  EXPECT_EQ(M.findSetting(std::nullopt, 400), &M.Settings[2]);
  EXPECT_EQ(M.findSetting(500, std::nullopt), nullptr); // two of them
  EXPECT_EQ(M.findSetting(501, 400), nullptr);
  EXPECT_EQ(&M.defaultSetting(), &M.Settings[1]);
}

TEST(Machine, ClassNames) {
  for (const char *Name : {"flops_f64", "L2_reads", "_x", "x"})
    EXPECT_TRUE(isClassName(Name)) << Name;
  for (const char *Name : {"", "2x", "a-b", "a b", "ä", "constant", "power_cap", "none"})
    EXPECT_FALSE(isClassName(Name)) << Name;
}
