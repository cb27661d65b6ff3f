//===- ChoicesTest.cpp - what rules for choosing a setting lose -----------===//
//
// Tables small enough to work out by hand.
//
//===----------------------------------------------------------------------===//

#include "model/fit/Choices.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace ergon;

namespace {
/// Programs at 500 and 1000 MHz, with the energies that they are chosen by.
struct ChosenSweeps {
  Samples S;
  std::vector<double> Joules;

  void add(const std::string &Workload, double SlowJ, double FastJ, double SlowChosenBy,
           double FastChosenBy) {
    for (bool Fast : {false, true}) {
      Sample Row;
      Row.Workload = Workload;
      Row.Clocks.CoreMhz = Fast ? 1000 : 500;
      Row.TimeS = Fast ? 1 : 2;
      Row.EnergyJ = Fast ? FastJ : SlowJ;
      S.Rows.push_back(std::move(Row));
      Joules.push_back(Fast ? FastChosenBy : SlowChosenBy);
    }
    nameFamilies(S);
  }
};
} // namespace

// b alone is better off fast, and is taken to be: it loses nothing. The setting that is best for
// the others is the slow one: b loses 20 J of 100, and the mean of four programs is 5 %. Racing
// costs the other three 50 %.
TEST(Choices, LossesOfRules) {
  ChosenSweeps Table;
  Table.add("a", 100, 150, 1, 2);
  Table.add("b", 120, 100, 2, 1);
  Table.add("c", 100, 150, 1, 2);
  Table.add("d", 100, 150, 2, 1);
  const Choices All = choicesBy(Table.S, Table.Joules).front();
  EXPECT_EQ(All.Model.Workloads, 4u);
  EXPECT_EQ(All.Model.Wrong, 1u); // d
  EXPECT_DOUBLE_EQ(All.Model.MeanLoss, 0.125);
  EXPECT_NEAR(All.Fixed.MeanLoss, 0.05, 1e-12);
  EXPECT_DOUBLE_EQ(All.Fastest.MeanLoss, 0.375);
  EXPECT_NEAR(All.Slowest.MeanLoss, 0.05, 1e-12);
  EXPECT_EQ(*bestFixedSetting(Table.S)->CoreMhz, 500);
}

// One program in four is better off fast, and the model knows which; the fixed setting, slow, loses
// 50 % for these: 12.5 % in the mean. Of four programs the standard deviation is 25 %, and that of
// the mean 12.5: doubtful. Of forty it is 21.9 and 3.5.
TEST(Choices, FewProgramsLeaveDoubt) {
  ChosenSweeps Table;
  auto Add = [&](int Program) {
    const bool IsFast = Program % 4 == 0;
    Table.add("p" + std::to_string(Program), IsFast ? 150 : 100, IsFast ? 100 : 150, IsFast ? 2 : 1,
              IsFast ? 1 : 2);
  };
  for (int Program = 0; Program != 4; ++Program)
    Add(Program);
  EXPECT_FALSE(losesLess(Table.S, Table.Joules));
  for (int Program = 4; Program != 40; ++Program)
    Add(Program);
  EXPECT_TRUE(losesLess(Table.S, Table.Joules));
}

// Inputs of one program are one observation, and a model that is as good as the fixed setting does
// not lose less.
TEST(Choices, FamiliesCountAndNotWorkloads) {
  ChosenSweeps Table;
  for (int Input = 0; Input != 40; ++Input) {
    const bool IsFast = Input % 2;
    Table.add(std::string(IsFast ? "a/" : "b/") + std::to_string(Input), IsFast ? 150 : 100,
              IsFast ? 100 : 150, IsFast ? 2 : 1, IsFast ? 1 : 2);
  }
  // Each family would run at what is best for the other: both lose half, without a doubt.
  EXPECT_TRUE(losesLess(Table.S, Table.Joules));
  for (int Input = 0; Input != 10; ++Input)
    Table.add("c/" + std::to_string(Input), 100, 100, 1, 2);
  EXPECT_FALSE(losesLess(Table.S, Table.Joules));
  ChosenSweeps Same;
  for (int Program = 0; Program != 40; ++Program)
    Same.add("p" + std::to_string(Program), 100, 150, 1, 2);
  EXPECT_FALSE(losesLess(Same.S, Same.Joules));
}
