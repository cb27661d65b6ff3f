//===- ApproximateValueTest.cpp - long sums from some of their terms ------===//
//
// The exact values are by hand.
//
//===----------------------------------------------------------------------===//

#include "model/symbolic/ApproximateValue.h"

#include <gtest/gtest.h>

using namespace ergon;

static const Expr I = Expr::symbol("i"), J = Expr::symbol("j"), N = Expr::symbol("n");

static std::optional<ApproximateValue> at(const Expr &Formula, std::int64_t Size) {
  return approximateValue(Formula, [&](const std::string &Name) {
    return Name == "n" ? std::optional<Rational>(Size) : std::nullopt;
  });
}

/// [i is a multiple of Divisor]
static Expr isMultiple(const Expr &Value, int Divisor) {
  return floorDiv(Value, Divisor) - floorDiv(Value - 1, Divisor);
}

TEST(ApproximateValue, ShortSumsAreExact) {
  const Expr Sum = sum("i", 0, N - 1, isMultiple(I * I + I, 4)); // i = 0, 3, 4, 7 of 0 … 7
  EXPECT_DOUBLE_EQ(at(Sum, 8)->Value, 4);
  EXPECT_NEAR(at(Sum, 8)->Error, 0, 1e-12);
}

TEST(ApproximateValue, EndsAreAlwaysThere) {
  // The first and the last of 10^9 iterations do something: 7 and 5.
  const Expr Sum = sum("i", 0, N - 1,
                       isNonNegative(-I) * isMultiple(I, 3) * 7 +
                           isNonNegative(I - N + 1) * floorDiv(I, N - 1) * 5);
  EXPECT_DOUBLE_EQ(at(Sum, 1'000'000'000)->Value, 12);
}

TEST(ApproximateValue, TheErrorCoversTheValue) {
  // Of n·n pairs, those whose product is a multiple of 7: n² - (6n/7)² where 7 divides n.
  const Expr Sum = sum("i", 0, N - 1, sum("j", 0, N - 1, isMultiple(I * J, 7)));
  const double Size = 7000, Exact = Size * Size * (1 - 36.0 / 49);
  const auto Found = at(Sum, std::int64_t(Size));
  ASSERT_TRUE(Found);
  EXPECT_NEAR(Found->Value, Exact, 2 * Found->Error); // four standard errors
  EXPECT_LT(Found->Error, 0.05 * Exact);
  EXPECT_GT(Found->Error, 0);
}

TEST(ApproximateValue, WhatHasNoValueHasNoEstimate) {
  EXPECT_FALSE(at(sum("i", 0, N - 1, floorDiv(I, Expr::symbol("m"))), 1000));
  EXPECT_FALSE(at(sum("i", 0, N - 1, floorDiv(N, I * I - I)), 1000)); // divides by 0
}
