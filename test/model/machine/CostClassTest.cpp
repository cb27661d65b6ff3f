//===- CostClassTest.cpp - classes by number and by key -------------------===//

#include "model/machine/CostClass.h"

#include <gtest/gtest.h>

using namespace ergon;

TEST(CostClass, EachHasAKeyAndAFamily) {
  for (unsigned I = 0; I != NumCostClasses; ++I) {
    const CostClass Class = CostClass(I);
    EXPECT_EQ(costClass(name(Class)), Class);
    EXPECT_TRUE(isClassName(name(Class)));
    EXPECT_NE(family(Class), ClassFamily::Own) << name(Class);
    EXPECT_EQ(isWork(name(Class)), isWork(Class));
    EXPECT_LE(isWork(Class), isFlops(name(Class))) << name(Class);
  }
}

TEST(CostClass, KeysAreTakenApart) {
  const struct {
    std::string_view Key;
    ClassFamily Family;
    std::string_view Member;
  } Cases[] = {
      {"flops_f64", ClassFamily::Flops, "f64"},
      {"flops_matrix_bf16", ClassFamily::FlopsMatrix, "bf16"},
      {"fma_f32", ClassFamily::Fma, "f32"},
      {"fp_other_f32", ClassFamily::FpOther, "f32"},
      {"int_mul", ClassFamily::Integers, "mul"},
      {"loads_stack", ClassFamily::Loads, "stack"},
      {"load_bytes_shared", ClassFamily::LoadBytes, "shared"},
      {"bytes_dram", ClassFamily::LevelBytes, "dram"},
      {"branches", ClassFamily::Other, "branches"},
      {"h2d_bytes", ClassFamily::Other, "h2d_bytes"},
      {"flops_tf19", ClassFamily::Flops, "tf19"}, // a user's own columns
      {"warp_instructions", ClassFamily::Own, "warp_instructions"},
  };
  for (const auto &[Key, Family, Member] : Cases) {
    EXPECT_EQ(classify(Key).Family, Family) << Key;
    EXPECT_EQ(classify(Key).Member, Member) << Key;
  }
}

TEST(CostClass, QuestionsAboutKeys) {
  EXPECT_TRUE(isFlops("flops_matrix_i8"));
  EXPECT_FALSE(isWork("flops_matrix_i8"));
  EXPECT_TRUE(isFlops("flops_tf19"));
  EXPECT_FALSE(isWork("flops_tf19"));
  EXPECT_FALSE(isFlops("fma_f64"));
  EXPECT_TRUE(isCopy("d2h_bytes"));
  EXPECT_FALSE(isCopy("bytes_l1"));
  EXPECT_EQ(memoryLevel("bytes_l2"), "l2");
  EXPECT_EQ(memoryLevel("load_bytes_global"), std::nullopt);
  EXPECT_EQ(levelBytes("dram"), DramBytes);
}
