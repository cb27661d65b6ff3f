//===- ExprPowersTest.cpp - powers, logarithms and geometric sums ---------===//
//
// Every formula is held against a loop that runs.
//
//===----------------------------------------------------------------------===//

#include "model/symbolic/Expr.h"

#include <gtest/gtest.h>

using namespace ergon;

static Expr symbol(const std::string &Name) { return Expr::symbol(Name); }
static const Expr N = symbol("n"), M = symbol("m"), I = symbol("i"), K = symbol("k");

using Values = std::map<std::string, long>;

static Rational value(const Expr &E, const Values &V) {
  auto Result = E.evaluate([&](const std::string &Name) {
    auto Found = V.find(Name);
    return Found == V.end() ? std::nullopt : std::optional(Rational(Found->second));
  });
  EXPECT_TRUE(Result) << toText(E) << ": " << Result.error().What;
  return Result.value_or(Rational(-999999));
}

static bool hasSum(const Expr &E) { return toText(E).find("sum(") != std::string::npos; }

TEST(ExprPowers, OneNormalForm) {
  EXPECT_EQ(toText(power(2, K + 3)), "8*pow(2,k)");
  EXPECT_EQ(toText(power(4, K)), "pow(2,2*k)");
  EXPECT_TRUE(power(8, K) * power(2, N - 3 * K) == power(2, N));
  EXPECT_TRUE(power(2, K) * power(2, K) == power(4, K));
  EXPECT_TRUE(power(power(2, K), 3) == power(8, K));
  EXPECT_TRUE(power(M, K) * power(M, K + 1) == M * power(M, 2 * K));
  EXPECT_TRUE(power(6, K) * Expr(Rational(1, 6)) == power(6, K - 1));
  EXPECT_TRUE(power(2, K).substitute({{"k", 10}}) == Expr(1024));
  EXPECT_TRUE(power(1, N) == Expr(1) && power(M, 3) == M * M * M);
  // A half stays in the exponent, where it may be a whole number all the same.
  EXPECT_EQ(value(power(2, N * (N + 1) * Expr(Rational(1, 2))), {{"n", 4}}), 1024);
}

// A number of iterations that is a mean: half of 2^3 and half of 2^4.
TEST(ExprPowers, MeansOfExponentsHaveMeansOfPowers) {
  EXPECT_EQ(*powerOf(2, Rational(7, 2)), 12);
  EXPECT_EQ(*powerOf(3, Rational(-1, 2)), Rational(2, 3));
  EXPECT_FALSE(powerOf(0, Rational(1, 2)));
}

TEST(ExprPowers, LargeBasesAreTakenApart) {
  for (const int Root : {2, 6, 7, 1000003})
    for (unsigned Degree = 2; Degree != 24; ++Degree) {
      const Rational Base = *power(Expr(Root), Degree).constant();
      EXPECT_TRUE(power(Expr(Base), K) == power(Root, std::int64_t(Degree) * K));
      if (Base != 8) // 9 is a square, and no other two powers are neighbours
        EXPECT_EQ(toText(power(Expr(Base + 1), K)), "pow(" + (Base + 1).get_str() + ",k)");
    }
}

TEST(ExprPowers, LogarithmsAreDigitsLessOne) {
  for (long Base : {2, 3, 10})
    for (long Value = -5; Value <= 1100; ++Value) {
      long Digits = 0;
      for (long Left = Value; Left > 0; Left /= Base)
        ++Digits;
      ASSERT_EQ(value(floorLog(Base, N), {{"n", Value}}), Digits - 1) << Value;
      ASSERT_TRUE(floorLog(Base, Value) == Expr(Digits - 1));
    }
  EXPECT_FALSE(floorLog(1, N).evaluate([](const std::string &) { return Rational(5); }));
}

TEST(ExprPowers, TextIsReadBack) {
  for (const Expr &E : {3 * power(2, K) * N, floorLog(2, N - 1) + 1, power(M, K),
                        power(2, floorLog(2, N)), floorDiv(N, power(2, K))}) {
    auto Read = parseExpr(toText(E));
    ASSERT_TRUE(Read) << toText(E);
    EXPECT_TRUE(*Read == E) << toText(E);
  }
  EXPECT_EQ(toPretty(2 * power(2, floorLog(2, N - 1)) - 1), "2·2^⌊log₂ (n - 1)⌋ - 1");
  EXPECT_EQ(toPretty(floorDiv(N, power(2, K))), "⌊n/2^k⌋");
  EXPECT_EQ(toPretty(power(2, N - K)), "2^(n - k)");
}

TEST(ExprPowers, ConditionsOnLogarithms) {
  EXPECT_TRUE(isNonNegative(floorLog(2, N)) == isNonNegative(N - 1));
  EXPECT_TRUE(isNonNegative(floorLog(2, N) + 1) == Expr(1));
  EXPECT_TRUE(isAtLeast(floorLog(3, N), 2) == isAtLeast(N, 9));
  EXPECT_TRUE(isAtLeast(2, floorLog(3, N)) == Expr(1) - isAtLeast(N, 27));
}

TEST(ExprPowers, ConditionsOnPowersCutTheRange) {
  for (long Scale = 1; Scale <= 4; ++Scale)
    for (long V = -3; V <= 100; ++V) {
      const Expr Below = sum("k", 0, 9, isNonNegative(N - 1 - Scale * power(3, K)));
      const Expr Above = sum("k", 0, 9, isNonNegative(Scale * power(3, K) - N));
      EXPECT_FALSE(hasSum(Below) || hasSum(Above)) << toText(Below) << " " << toText(Above);
      long Want = 0, Value = Scale;
      for (long Count = 0; Count != 10; ++Count, Value *= 3)
        Want += Value < V;
      ASSERT_EQ(value(Below, {{"n", V}}), Want) << toText(Below) << " n=" << V;
      ASSERT_EQ(value(Above, {{"n", V}}), 10 - Want) << toText(Above) << " n=" << V;
    }
}

TEST(ExprPowers, GeometricSums) {
  const Expr Doubled = sum("k", 0, N, power(2, K));
  EXPECT_TRUE(Doubled == isNonNegative(N) * (2 * power(2, N) - 1)) << toText(Doubled);
  // (k² - 3·k + m)·c^k, also with a ratio below 1, from any start
  for (long Base : {2, 3})
    for (const Expr &Exponent : {K, 2 * K + 1, 5 - K}) {
      const Expr Closed = sum("k", M, N, (K * K - 3 * K + M) * power(Base, Exponent));
      EXPECT_FALSE(hasSum(Closed)) << toText(Closed);
      for (long From = 0; From <= 3; ++From)
        for (long To = From - 1; To <= 5; ++To) {
          Rational Want = 0;
          for (long Value = From; Value <= To; ++Value)
            Want +=
                (Value * Value - 3 * Value + From) * value(power(Base, Exponent), {{"k", Value}});
          ASSERT_EQ(value(Closed, {{"m", From}, {"n", To}}), Want) << toText(Closed);
        }
    }
}

TEST(ExprPowers, HalvedInALoop) {
  // for (s = n / 2; s > 0; s /= 2) for (i = 0; i < s; i++)
  const Expr S = floorDiv(floorDiv(N, 2), power(2, K));
  EXPECT_TRUE(S == floorDiv(N, 2 * power(2, K)));
  auto Last = lastWhere(S - 1, "k");
  ASSERT_TRUE(Last);
  const Expr Count = sum("k", 0, *Last, S);
  for (long Value = -2; Value <= 70; ++Value) {
    long Want = 0, Rounds = 0;
    for (long Left = Value / 2; Left > 0; Left /= 2, ++Rounds)
      Want += Left;
    ASSERT_EQ(value(*Last + 1, {{"n", Value}}), Rounds);
    ASSERT_EQ(value(Count, {{"n", Value}}), Want) << toText(Count);
  }
}

TEST(ExprPowers, AFloorOverAPeriodThatVaries) {
  const Expr Count = sum("k", 0, 3, floorDiv(N + K, power(2, K)));
  for (long Value = 0; Value <= 20; ++Value)
    ASSERT_EQ(value(Count, {{"n", Value}}),
              Value + (Value + 1) / 2 + (Value + 2) / 4 + (Value + 3) / 8);
}

TEST(ExprPowers, KnownConditionsAreNotAskedAgain) {
  const Expr Some = isAtLeast(N, 2);
  EXPECT_TRUE(assuming(floorLog(2, floorDiv(N - 1, 2)), Some) == floorLog(2, N - 1) - 1);
  EXPECT_TRUE(assuming(max(N, 1), Some) == N && assuming(min(N, 1), Some) == Expr(1));
  EXPECT_TRUE(assuming(M * isAtLeast(N, 1) + isAtLeast(1, N), Some) == M);
  // n = 1 would be 0/2, which has the same logarithm as 0.
  const Expr Open = floorLog(2, floorDiv(N - 1, 2));
  EXPECT_TRUE(assuming(Open, isAtLeast(N, 1)) == Open);
  EXPECT_TRUE(negated(isAtLeast(N, 3)) == isAtLeast(2, N));
  EXPECT_TRUE(negated(isAtLeast(symbol("trips@f"), 3)) == 1 - isAtLeast(symbol("trips@f"), 3));
}
