//===- BindingsTest.cpp - values for the symbols of an entry --------------===//

#include "predict/values/Bindings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace ergon;
using testing::ElementsAre;
using testing::HasSubstr;

/// A function of n that calls puts, with a branch of which nothing is known.
static Function example() {
  Function Result;
  Result.Name = Result.Demangled = "kernel";
  Result.Parameters = {{"n", "int"}};
  Result.Body.Last = 0;
  Result.Body.Entries = 1;
  Block Counted, Calling;
  Counted.Runs = Expr::symbol("taken@a.c:1:2") * Expr::symbol("n");
  Counted.PerRun.add(of(CostClass::Flops, FloatType::F64), 2);
  Calling.Runs = 1;
  Calling.Calls = {{"puts", false, {}, {"a.c", 3, 4}}};
  Result.Body.Blocks = {Counted, Calling};
  return Result;
}

static Function kernel() {
  Function Result = example();
  Result.IsKernel = true;
  return Result;
}

static auto bound(const std::vector<GivenValue> &Values, const Function &Of,
                  std::set<std::size_t> *NotHere = nullptr) {
  const Totals Sum =
      TotalsBuilder([](const std::string &, const Function &) { return nullptr; }, {}).of(Of);
  return bindValues(Values, Of, [&]() -> const Totals & { return Sum; }, NotHere);
}

TEST(Bindings, ErrorsAreOneLineThatNamesTheValue) {
  const struct {
    std::vector<GivenValue> Values;
    const char *Says;
  } Cases[] = {
      {{{"m", 5}}, "m=5: kernel has nothing called \"m\"; did you mean \"n\"?"},
      {{{"n", std::unexpected(Error{"\"ten\" is not a number", "", "", ""}), "ten", "--set n=ten"}},
       "--set n=ten: \"ten\" is not a number"},
      {{{"n", Rational(3, 2)}}, "\"3/2\" is not a whole number"},
      {{{"n", 1}, {"n", 1}}, "n=1: the name is given twice"},
      {{{"n", Bounds{2, 1}}}, "n=2..1: an interval that ends before it begins"},
      {{{"grid.x", 0}}, "a launch dimension is at least 1"},
      {{{"taken@a.c:1:2", Rational(3, 2)}}, "a share lies between 0 and 1"},
      {{{"taken@a.c:1:2", Rational(-1, 2)}}, "a share lies between 0 and 1"},
      {{{"bytes_dram", -1}}, "give a number that is not negative"},
      {{{"call:puts", 3}}, "only 0 can be given"},
  };
  for (const auto &[Values, Says] : Cases) {
    const auto Bound = bound(Values, kernel());
    ASSERT_FALSE(Bound) << Says;
    EXPECT_THAT(Bound.error().line(), HasSubstr(Says));
    EXPECT_EQ(Bound.error().line().find('\n'), std::string::npos);
  }
  EXPECT_FALSE(bound({{"grid.x", 1}}, example())); // no kernel
}

TEST(Bindings, ValuesOfOtherEntriesAreToldByTheirIndices) {
  std::set<std::size_t> NotHere;
  const GivenValue Unreadable("m", std::unexpected(Error{"no number", "", "", ""}), "x", "m=x");
  const auto Bound = bound({Unreadable, {"n", 4}, {"k", 2}}, kernel(), &NotHere);
  ASSERT_TRUE(Bound) << Bound.error().line();
  EXPECT_THAT(NotHere, ElementsAre(0, 2));
  EXPECT_EQ(Bound->Given, (std::map<std::string, Rational>{{"n", 4}}));
}

TEST(Bindings, GivenDefaultsAndFreeCalls) {
  const auto Bound = bound({{"n", 1000},
                            {"taken@a.c:1:2", Rational(1, 4)},
                            {"grid.x", 8},
                            {"call:puts", 0},
                            {"bytes_dram", 12}},
                           kernel());
  ASSERT_TRUE(Bound) << Bound.error().line();
  using Numbers = std::map<std::string, Rational>;
  EXPECT_EQ(Bound->Given, (Numbers{{"n", 1000}, {"taken@a.c:1:2", Rational(1, 4)}, {"grid.x", 8}}));
  EXPECT_EQ(Bound->Defaults, (Numbers{{"grid.y", 1}, {"grid.z", 1}})); // block.x was not given
  EXPECT_THAT(Bound->FreeCalls, ElementsAre("call:puts"));
  EXPECT_EQ(Bound->DramBytes, Rational(12));
  EXPECT_TRUE(Bound->substitution().at("n") == Expr(1000));
}
