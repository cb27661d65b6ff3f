//===- ChoicesTest.cpp - what rules for choosing a setting lose -----------===//
//
// Tables small enough to work out by hand.
//
//===----------------------------------------------------------------------===//

#include "model/fit/Choices.h"
#include "model/fit/CombinedChoices.h"

#include <gtest/gtest.h>

#include <cmath>
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

// Three programs need e^-0.2, e^-0.4 and e^-0.6 at half the clock, the means of the others are
// -0.5, -0.4 and -0.3: off by 0.3, 0, -0.3. The model is off by -0.1, 0.2, -0.1. Of mean squares
// 0.18 and 0.06 and a product of 0, the model's weight is 0.18 over 0.24.
TEST(CombinedChoices, LeaveTheLeastMeanSquare) {
  ChosenSweeps Table;
  Table.add("a", std::exp(-0.2), 1, std::exp(-0.1), 1);
  Table.add("b", 3 * std::exp(-0.4), 3, std::exp(-0.6), 1);
  Table.add("c", std::exp(-0.6), 1, 5 * std::exp(-0.5), 5);
  const CombinedChoices Both(Table.S, Table.S.Rows[1].Clocks, Table.Joules);
  EXPECT_NEAR(Both.weight(), 0.75, 1e-12);
  // Without c: 0.09 and 0.05, product -0.03.
  EXPECT_NEAR(Both.weight(2), 0.12 / 0.2, 1e-12);
  EXPECT_NEAR(std::log(Both.combined()[4]), 0.6 * -0.5 + 0.4 * -0.3, 1e-12);
  EXPECT_EQ(Both.combined()[5], 1);
}

// A model that is right has all the weight, one that says the opposite none.
TEST(CombinedChoices, WeightsAreShares) {
  for (const bool IsRight : {true, false}) {
    ChosenSweeps Table;
    for (int Program = 0; Program != 6; ++Program) {
      const double Log = 0.1 * (Program - 2.5);
      Table.add("p" + std::to_string(Program), std::exp(Log), 1, std::exp(IsRight ? Log : -Log), 1);
    }
    const CombinedChoices Both(Table.S, Table.S.Rows[1].Clocks, Table.Joules);
    EXPECT_EQ(Both.weight(), IsRight ? 1 : 0);
  }
}
