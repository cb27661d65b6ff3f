//===- RealSymbolsTest.cpp - conditions on floating-point numbers ---------===//

#include "model/symbolic/Expr.h"

#include <gtest/gtest.h>

using namespace ergon;

namespace {

const Expr Alpha = Expr::symbol(realSymbol("alpha"));

Rational valueAt(const Expr &E, const Rational &Number) {
  return *E.evaluate([&](const std::string &) { return std::optional(Number); });
}

TEST(RealSymbols, BoundsAreNotRounded) {
  // alpha >= 1/2 is not alpha >= 1.
  const Expr IsLarge = isNonNegative(Alpha - Expr(Rational(1, 2)));
  EXPECT_EQ(valueAt(IsLarge, Rational(3, 4)), 1);
  EXPECT_EQ(valueAt(IsLarge, Rational(1, 4)), 0);
}

TEST(RealSymbols, NegationHasNoGap) {
  // Not alpha >= 1 holds for 3/4, which alpha <= 0 does not.
  const Expr IsBelow = negated(isNonNegative(Alpha - 1));
  EXPECT_EQ(valueAt(IsBelow, Rational(3, 4)), 1);
  EXPECT_EQ(valueAt(IsBelow, 1), 0);
}

TEST(RealSymbols, EqualToTwoNumbersIsImpossible) {
  EXPECT_TRUE((isEqual(Alpha, 0) * isEqual(Alpha, 1)).isZero());
  EXPECT_EQ(valueAt(isEqual(Alpha, 1), Rational(1, 2)), 0);
}

TEST(RealSymbols, NothingBetweenIsLeftOut) {
  // n·[n >= 1] is n·[n >= 0] of an integer alone; here 1/2 is between.
  const Expr Parts = (Alpha * Alpha - Alpha) * isNonNegative(Alpha) -
                     (Alpha * Alpha - Alpha) * isNonNegative(Alpha - 1);
  EXPECT_EQ(valueAt(simplifyConditions(Parts), Rational(1, 2)), Rational(-1, 4));
}

TEST(RealSymbols, PeopleReadTheName) {
  EXPECT_EQ(toPretty(isNonNegative(Alpha - Expr(Rational(1, 2)))), "[alpha ≥ 1/2]");
  EXPECT_EQ(toText(Alpha), "`~alpha`");
  EXPECT_EQ(*parseExpr(toText(Alpha)), Alpha);
}

} // namespace
