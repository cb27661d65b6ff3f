//===- ChangeErrorsTest.cpp - errors of the change with the clocks --------===//
//
// Sweeps whose slopes are put in, so that their size is known; what is known of other machines
// counts as two families with slopes of 0.2 and 0.1 (docs/decisions/0043-measured-runs.md).
//
//===----------------------------------------------------------------------===//

#include "model/fit/ChangeErrors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace ergon;

namespace {
/// Workloads at 1000 MHz and below, and how wrongly a fit without their families predicts them.
class Sweeps {
public:
  Samples S;
  std::vector<double> Errors;

  /// Takes 1 s at any clock by the model; in fact it changes by these slopes over ln(1000/f).
  void add(const std::string &Family, const std::string &Input, double OverCore, double OverMem) {
    for (double Core : {500.0, 1000.0, 707.1})
      for (double Mem : MemMhz) {
        const double Log = OverCore * std::log(1000 / Core) + OverMem * std::log(1000 / Mem);
        Sample &Row = S.Rows.emplace_back();
        Row.Workload = Family + "/" + Input;
        Row.Family = Family;
        Row.Clocks = {Core, Mem, {}, {}, "", {}};
        Row.TimeS = std::exp(Log);
        Errors.push_back(std::exp(-Log) - 1);
      }
  }

  std::vector<double> MemMhz = {1000};
};
} // namespace

static std::string name(int Number) {
  std::string Result = "f";
  return Result += std::to_string(Number);
}

// Slopes of 0.5 in all of many families: nearly that, and by Student's t a little more.
TEST(ChangeErrors, AreTheSlopesOfFamiliesLeftOut) {
  Sweeps Many;
  for (int Number = 0; Number != 60; ++Number)
    Many.add(name(Number), "a", 0.5, 0);
  const auto Found = powerSlopeErrors(Many.S, Many.Errors);
  ASSERT_TRUE(Found);
  // All lie within 1.96 of half of it, which 95 % have to.
  EXPECT_NEAR(Found->Core, 0.5 / 1.96, 0.03);
  EXPECT_EQ(Found->Mem, 0.1); // nothing says otherwise
  EXPECT_EQ(Found->Correlation, 0);
}

// One family in ten is far off: 95 % are within what it needs, far more than the mean square.
TEST(ChangeErrors, HoldNinetyFivePercent) {
  Sweeps Few;
  for (int Number = 0; Number != 30; ++Number)
    Few.add(name(Number), "a", Number % 10 == 0 ? 0.6 : 0, 0);
  const auto Found = powerSlopeErrors(Few.S, Few.Errors);
  ASSERT_TRUE(Found);
  EXPECT_GT(Found->Core, 0.6 / 1.96 * 0.9);
  EXPECT_LT(Found->Core, 0.6 / 1.96 * 1.2);
}

// Inputs do not outvote families; what core and memory share goes together.
TEST(ChangeErrors, FamiliesWeighTheSame) {
  Sweeps One, Many;
  for (Sweeps *Each : {&One, &Many}) {
    Each->MemMhz = {1000, 500};
    Each->add("a", "1", 0.4, -0.4);
    Each->add("b", "1", -0.2, 0.2);
    Each->add("c", "1", 0, 0);
  }
  for (int Input = 2; Input != 20; ++Input)
    Many.add("c", name(Input), 0, 0);
  const auto Few = powerSlopeErrors(One.S, One.Errors),
             More = powerSlopeErrors(Many.S, Many.Errors);
  ASSERT_TRUE(Few && More);
  EXPECT_NEAR(Few->Core, More->Core, 1e-9);
  EXPECT_NEAR(Few->Correlation, More->Correlation, 1e-9);
  EXPECT_LT(Few->Correlation, -0.6);
}

// What the model leaves out follows the core clock: of 2 s more than modelled nothing is left.
TEST(ChangeErrors, OfTimesAreBesideTheKnownRun) {
  Sweeps Twice;
  for (int Number = 0; Number != 20; ++Number)
    Twice.add(name(Number), "a", 1, 0);
  for (double &Error : Twice.Errors)
    Error = -1; // by the model it takes no time
  const auto Found = timeSlopeErrors(Twice.S, Twice.Errors);
  ASSERT_TRUE(Found);
  EXPECT_LT(Found->Core, 0.02);
  // By the model it takes 1 s at any clock, and at 1000 MHz it does.
  Sweeps Wrong;
  for (int Number = 0; Number != 20; ++Number)
    Wrong.add(name(Number), "a", 1, 0);
  EXPECT_GT(timeSlopeErrors(Wrong.S, Wrong.Errors)->Core, 0.4);
}

TEST(ChangeErrors, NeedTwoFamilies) {
  Sweeps Alone;
  Alone.add("a", "1", 0.5, 0);
  Alone.add("a", "2", 0.5, 0);
  EXPECT_FALSE(powerSlopeErrors(Alone.S, Alone.Errors));
  Alone.add("b", "1", 0.5, 0);
  EXPECT_TRUE(powerSlopeErrors(Alone.S, Alone.Errors));
  // A row that was not predicted says nothing.
  for (std::size_t Row = Alone.Errors.size() - 3; Row != Alone.Errors.size(); ++Row)
    Alone.Errors[Row] = std::nan("");
  EXPECT_FALSE(powerSlopeErrors(Alone.S, Alone.Errors));
}
