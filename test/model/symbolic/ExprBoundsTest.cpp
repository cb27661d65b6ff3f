//===- ExprBoundsTest.cpp - formulas of intervals -------------------------===//
//
// Every pair of bounds is held against the values of all points between.
//
//===----------------------------------------------------------------------===//

#include "model/symbolic/ExprBounds.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace ergon;

static Expr symbol(const std::string &Name) { return Expr::symbol(Name); }
static const Expr N = symbol("n"), M = symbol("m"), Taken = symbol("taken@a.c:1:2"),
                  Other = symbol("taken@a.c:3:4");

/// n from 2 to 7 and m from -2 to 3.
static const SymbolBounds Box = {{"n", {2, 7}}, {"m", {-2, 3}}};

/// The least and the greatest value in the box, by asking for all.
static Bounds byHand(const Expr &E) {
  std::optional<Bounds> Result;
  for (long A = 2; A <= 7; ++A)
    for (long B = -2; B <= 3; ++B) {
      Rational R = *E.evaluate([&](const std::string &Name) -> std::optional<Rational> {
        return Rational(Name == "n" ? A : B);
      });
      Result = Result ? Bounds{std::min(Result->Low, R), std::max(Result->High, R)} : Bounds{R, R};
    }
  return *Result;
}

static void expectAround(const Expr &E, bool Tight) {
  auto Found = boundsOf(E, Box);
  ASSERT_TRUE(Found) << toText(E) << ": " << Found.error().What;
  Bounds Real = byHand(E);
  EXPECT_LE(Found->Low, Real.Low) << toText(E);
  EXPECT_GE(Found->High, Real.High) << toText(E);
  if (Tight) {
    EXPECT_EQ(Found->Low, Real.Low) << toText(E);
    EXPECT_EQ(Found->High, Real.High) << toText(E);
  }
}

TEST(ExprBounds, SharesAreExact) {
  // 10 runs of which a share costs 3 and the rest 5; and of that share one of 2 more.
  Expr Cost = 10 * (Taken * 3 + (1 - Taken) * 5) + 10 * Taken * Other * 2;
  auto Found = boundsOf(
      Cost, {{"taken@a.c:1:2", {Rational(1, 5), Rational(1, 2)}}, {"taken@a.c:3:4", {0, 1}}});
  ASSERT_TRUE(Found);
  EXPECT_EQ(Found->Low, Rational(40));  // half of them, and none of these: 15 + 25
  EXPECT_EQ(Found->High, Rational(50)); // what the first share saves, the second costs
  EXPECT_EQ(boundsOf(Expr(7), {})->High, Rational(7));
}

TEST(ExprBounds, FormulasLieBetween) {
  expectAround(N * M + M - 2, true);
  expectAround(N * N + 3 * N, true);
  expectAround(N * N - N, false);
  expectAround(M * M, false);
  expectAround(floorDiv(N * 3 + 1, 4), true);
  expectAround(floorDiv(M, N), true);
  expectAround(max(N, M + 5) - min(M, Expr(0)), false);
  expectAround(isAtLeast(N, M + 4) * N, false);
  expectAround(power(2, N), true);
  expectAround(floorLog(2, N + 1), true);
  // Triangles, and sums that have no closed form.
  expectAround(sum("i", 0, N - 1, sum("j", 0, symbol("i"), 1)), false);
  expectAround(sum("i", 1, N, floorDiv(N * N, symbol("i"))), false);
  expectAround(sum("i", M, N, floorDiv(N + M, symbol("i") * symbol("i") + 1)), false);
}

TEST(ExprBounds, TellsWhatIsWrong) {
  auto Unbound = boundsOf(N * N * symbol("k"), Box);
  ASSERT_FALSE(Unbound);
  EXPECT_EQ(Unbound.error().What, "k");
  auto Division = boundsOf(floorDiv(N, M), Box);
  ASSERT_FALSE(Division);
  EXPECT_EQ(Division.error().Why, EvaluationError::Kind::DivisionByZero);
  auto Long = boundsOf(sum("i", 1, N * 1000, floorDiv(N, symbol("i"))), Box, 100);
  ASSERT_FALSE(Long);
  EXPECT_EQ(Long.error().Why, EvaluationError::Kind::TooExpensive);
}

/// A sum as it is where its summand was too large to be looked into.
static Expr asWritten(const std::string &Variable, std::int64_t Last, const Expr &Summand) {
  return Expr(
      std::make_shared<const Atom>(Atom::Kind::Sum, Variable, std::vector<Expr>{0, Last, Summand}));
}

TEST(ExprBounds, SharesStandOutsideOfLongSums) {
  // A million iterations cost their number where the branch is taken, else 2: far more terms than
  // the steps.
  const Expr I = symbol("i"),
             Cost = asWritten("i", 999, asWritten("j", 999, Taken * I + (1 - Taken) * 2));
  const auto Found = boundsOf(Cost, {{"taken@a.c:1:2", {0, 1}}}, 10'000);
  ASSERT_TRUE(Found);
  EXPECT_EQ(Found->Low, Rational(2'000'000));
  EXPECT_EQ(Found->High, Rational(499'500'000)); // 1,000 times 0 + 1 + … + 999
}

TEST(ExprBounds, SharesInsideOfConditionsStay) {
  // i < n for n = 2 … 7 of the ten iterations, each costs up to 1.
  const Expr Cost = asWritten("i", 9, Taken * isAtLeast(N, symbol("i") + 1));
  SymbolBounds Ranges = Box;
  Ranges.insert({"taken@a.c:1:2", {Rational(1, 2), 1}});
  const auto Found = boundsOf(Cost, Ranges);
  ASSERT_TRUE(Found);
  EXPECT_EQ(Found->Low, Rational(1));
  EXPECT_EQ(Found->High, Rational(7));
}

TEST(ExprBounds, ManySharesAreExactWhereFewMeet) {
  // Pairs of branches one in the other: a·(1 - b) is 0 to 1 for each, and 12 symbols are too many
  // for all corners.
  Expr Cost;
  SymbolBounds Ranges;
  for (int Pair = 0; Pair != 6; ++Pair) {
    const std::string Outer = "taken@a.c:1:" + std::to_string(Pair),
                      Inner = "taken@a.c:2:" + std::to_string(Pair);
    Cost += symbol(Outer) * (1 - symbol(Inner));
    Ranges.insert({{Outer, {0, 1}}, {Inner, {0, 1}}});
  }
  const auto Found = boundsOf(Cost, Ranges);
  ASSERT_TRUE(Found);
  EXPECT_EQ(Found->Low, Rational(0));
  EXPECT_EQ(Found->High, Rational(6));
}

TEST(ExprBounds, LongSumsMayHaveAnInterval) {
  // The quotients of squares have no closed form; whoever asks says what the sum is.
  const Expr I = symbol("i"), Long = sum("i", 1, 1'000'000, floorDiv(I * I * I, I * I + 7));
  const SymbolBounds Ranges = {{"taken@a.c:1:2", {Rational(1, 2), 1}}};
  EXPECT_FALSE(boundsOf(Taken * Long, Ranges, 100));
  const auto Found =
      boundsOf(3 - Taken * Long, Ranges, 100,
               [](const Expr &, const SymbolValues &) { return std::optional<Bounds>({10, 20}); });
  ASSERT_TRUE(Found);
  EXPECT_EQ(Found->Low, Rational(-17));
  EXPECT_EQ(Found->High, Rational(-2));
}
