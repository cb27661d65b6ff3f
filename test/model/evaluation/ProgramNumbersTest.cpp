//===- ProgramNumbersTest.cpp - counts of large programs in numbers -------===//
//
// What formulas say of the same functions, and slopes that were derived on paper.
//
//===----------------------------------------------------------------------===//

#include "model/evaluation/ProgramNumbers.h"
#include "test/support/SmallPrograms.h"

#include <gtest/gtest.h>

using namespace ergon;
using namespace ergon::small_programs;

static const std::string Share = "taken@a.c:1:1";

static FunctionLookup among(const std::vector<Function> &All) {
  return [&](const std::string &Name, const Function &) -> const Function * {
    for (const Function &F : All)
      if (F.Name == Name)
        return &F;
    return nullptr;
  };
}

static Rational half(const Unknown &) { return Rational(1, 2); }

/// The flops of the last of \p All for n = \p Size, by both ways.
static void expectSame(const std::vector<Function> &All, std::int64_t Size) {
  const Substitution Bound{{"n", Expr(Size)}};
  TotalsBuilder Formulas(among(All), Bound);
  ProgramNumbers Numbers(among(All));
  Numbers.bind(Bound);
  const Totals Expected = Formulas.of(All.back()), Found = Numbers.of(All.back(), half);
  EXPECT_EQ(toText(Found.Values[Flops]), toText(Expected.Values[Flops])) << Size;
}

TEST(ProgramNumbers, AreWhatFormulasSay) {
  const Function Leaf = function("leaf", {work(3, isAtLeast(N, 5))}, {loop("i", N, {work(I * 2)})});
  for (std::int64_t Size : {0, 1, 7, 100}) {
    expectSame({Leaf}, Size);
    expectSame({Leaf, function("once", {calls("leaf", N * 2 + 1)})}, Size);
    expectSame({Leaf, function("often", {work(1)}, {loop("i", N, {calls("leaf", N)})})}, Size);
  }
}

TEST(ProgramNumbers, ArgumentsOfALoop) { // n calls with 0 … n - 1
  const std::vector<Function> All = {function("leaf", {}, {loop("i", N, {work(N)})}),
                                     function("main", {}, {loop("i", N, {calls("leaf", I)})})};
  for (std::int64_t Size : {0, 3, 12}) // all of them are evaluated
    expectSame(All, Size);
  ProgramNumbers Numbers(among(All));
  Numbers.bind({{"n", Expr(1000)}});
  const Totals T = Numbers.of(All[1], half);
  EXPECT_EQ(T.Values[Flops], Expr(332833500)); // in closed form
  EXPECT_EQ(T.KnownAs.at(Flops), Known::Exact);
}

TEST(ProgramNumbers, RecursionEnds) {
  const std::vector<Function> Down = {
      function("down", {work(1), calls("down", N - 1, isAtLeast(N, 1))})};
  ProgramNumbers Numbers(among(Down));
  Numbers.bind({{"n", Expr(20)}});
  EXPECT_EQ(Numbers.of(Down[0], half).Values[Flops], Expr(21));
  EXPECT_TRUE(Numbers.of(Down[0], half).OpenCalls.empty());
}

TEST(ProgramNumbers, RecursionWithoutAnEnd) {
  const std::vector<Function> Same = {function("same", {work(1), calls("same", N)})},
                              Up = {function("up", {work(1), calls("up", N + 1)})};
  for (const auto &All : {Same, Up}) {
    ProgramNumbers Numbers(among(All));
    Numbers.bind({{"n", Expr(20)}});
    const Totals T = Numbers.of(All[0], half);
    EXPECT_TRUE(T.OpenCalls.contains("recursion:" + All[0].Name));
    EXPECT_GE(T.Values[Flops].constant()->get_d(), 1);
  }
}

TEST(ProgramNumbers, EstimatesAndTheirSlopes) {
  Function Leaf = function("leaf", {work(8, Expr::symbol(Share))});
  Leaf.Unknowns = {{Share, {}, "a branch"}};
  const std::vector<Function> All = {Leaf,
                                     function("main", {}, {loop("i", N, {calls("leaf", N)})})};
  ProgramNumbers Numbers(among(All));
  const Totals T = Numbers.of(All[1], [](const Unknown &U) {
    return U.Symbol == Share ? Rational(1, 4) : Rational(100); // and n
  });
  EXPECT_EQ(T.Values[Flops], Expr(200));
  EXPECT_EQ(T.KnownAs.at(Flops), Known::Estimated);
  ASSERT_EQ(Numbers.estimated().size(), 2u);
  const auto Slopes = Numbers.slopes([](CostClass) { return 1.0; });
  EXPECT_NEAR(Slopes.at(Share), 800, 1e-6);
  EXPECT_NEAR(Slopes.at("n"), 2, 1e-6);
}

TEST(ProgramNumbers, ArgumentsHaveSlopes) {
  const std::vector<Function> All = {function("leaf", {}, {loop("i", N, {work(5)})}),
                                     function("main", {calls("leaf", N * 3)})};
  ProgramNumbers Numbers(among(All));
  EXPECT_EQ(Numbers.of(All[1], [](const Unknown &) { return Rational(10); }).Values[Flops],
            Expr(150));
  EXPECT_NEAR(Numbers.slopes([](CostClass) { return 1.0; }).at("n"), 15, 1e-6);
}

TEST(ProgramNumbers, ArgumentsOfUnknownMeaningHaveSlopes) {
  Function Leaf = function("leaf", {}, {loop("i", N, {work(5)})});
  Leaf.Parameters[0].Means = std::make_shared<const Meanings>(Meanings{{"1", Expr(4)}});
  Block Site = calls("leaf", 1);
  Site.Calls[0].Arguments = {std::nullopt};
  Site.Calls[0].Location = {"a/folder/with/a/long/name.c", 3, 4}; // its symbol is on the heap
  const std::vector<Function> All = {Leaf, function("main", {Site})};
  ProgramNumbers Numbers(among(All));
  EXPECT_EQ(Numbers.of(All[1], [](const Unknown &) { return Rational(10); }).Values[Flops],
            Expr(50));
  EXPECT_NEAR(
      Numbers.slopes([](CostClass) { return 1.0; }).at("value@a/folder/with/a/long/name.c:3:4:n"),
      5, 1e-6);
}

TEST(ProgramNumbers, LimitsAreThoseOfAllCalls) {
  const std::string Trips = "trips@a.c:1:1";
  Function Leaf = function("leaf", {work(1, Expr::symbol(Trips))});
  Leaf.Unknowns = {{Trips, {}, "a loop"}};
  Leaf.Unknowns[0].Limit = N - 1;
  const std::vector<Function> All = {Leaf, function("main", {calls("leaf", 6), calls("leaf", N)})};
  auto AtLimit = [](const Unknown &U) { return U.Limit ? *U.Limit->constant() : Rational(1000); };
  ProgramNumbers Numbers(among(All));
  Numbers.bind({{"n", Expr(9)}});
  EXPECT_EQ(Numbers.of(All[1], AtLimit).Values[Flops], Expr(10)); // that of the first call, twice
  EXPECT_TRUE(Numbers.hasLargerLimits());
  EXPECT_EQ(Numbers.of(All[1], AtLimit).Values[Flops], Expr(16));
  EXPECT_FALSE(Numbers.hasLargerLimits());
  Numbers.bind({}); // n is an estimate, and so is a limit of it
  Numbers.of(All[1], AtLimit);
  EXPECT_EQ(Numbers.of(All[1], AtLimit).Values[Flops], Expr(2000));
}

TEST(ProgramNumbers, LargeIsWhatHasManyUnknowns) {
  Function Leaf = function("leaf", {});
  ProgramNumbers Few(among({})), Many(among({}));
  EXPECT_FALSE(Few.isLarge(Leaf));
  for (int Line = 0; Line != 101; ++Line)
    Leaf.Unknowns.push_back({"taken@a.c:" + std::to_string(Line), {}, ""});
  EXPECT_TRUE(Many.isLarge(Leaf));
}
