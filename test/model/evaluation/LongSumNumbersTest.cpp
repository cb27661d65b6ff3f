//===- LongSumNumbersTest.cpp - numbers of formulas, with bounded work ----===//
//
// The exact values are by hand.
//
//===----------------------------------------------------------------------===//

#include "model/evaluation/LongSumNumbers.h"

#include <gtest/gtest.h>

using namespace ergon;

static const Expr Row = Expr::symbol("i");

static std::optional<Rational> noValue(const std::string &) { return std::nullopt; }

TEST(LongSumNumbers, MultiplesAreEvaluatedOnce) {
  LongSumNumbers Numbers;
  unsigned NumSums = 0;
  auto Over = [&](const Expr &Summand) {
    ++NumSums;
    return sum("i", 0, 9, Summand);
  };
  EXPECT_EQ(Numbers.of("ten", Row, Over, noValue).Value, Rational(45));
  EXPECT_EQ(Numbers.of("ten", -4 * Row, Over, noValue).Value, Rational(-180));
  EXPECT_EQ(Numbers.of("ten", 0, Over, noValue).Value, Rational(0));
  EXPECT_EQ(NumSums, 2u);
  EXPECT_EQ(Numbers.of("others", Row, Over, noValue).Value, Rational(45)); // may be other sums
  EXPECT_EQ(NumSums, 3u);
}

TEST(LongSumNumbers, SamplesSayThatTheyAre) {
  // i³ divided by i² + 7 is i - 1 from i = 6 on, and 0, 0, 1, 2 and 3 before: 4 less than that.
  auto Over = [](const Expr &Summand) { return sum("i", 1, 100'000, Summand); };
  const Expr Quotient = floorDiv(Row * Row * Row, Row * Row + 7);
  LongSumNumbers Numbers;
  const auto Found = Numbers.of("rows", 3 * Quotient, Over, noValue);
  ASSERT_TRUE(Found.Value);
  EXPECT_TRUE(Found.IsSampled);
  EXPECT_TRUE(Found.Value->isInteger());
  const double Exact = 3 * (99'999 * 50'000.0 - 4);
  EXPECT_NEAR(Found.Value->get_d(), Exact, 0.05 * Exact);
  EXPECT_FALSE(Numbers.of("rows", Row, Over, noValue).IsSampled);
}

TEST(LongSumNumbers, ShortSumsStayExactAfterManyLongOnes) {
  LongSumNumbers Numbers;
  for (int Number = 1; Number != 100; ++Number) {
    auto Over = [&](const Expr &Summand) {
      return sum("i", 1, 100'000, floorDiv(Summand * Row * Row, Row * Row + Number));
    };
    EXPECT_TRUE(Numbers.of(std::to_string(Number), Row, Over, noValue).IsSampled);
  }
  // i·i/i rounded down is i: the terms are 1 to 90.
  auto Short = [&](const Expr &Summand) { return sum("i", 1, 90, floorDiv(Summand * Row, Row)); };
  const auto Found = Numbers.of("short", Row, Short, noValue);
  EXPECT_FALSE(Found.IsSampled);
  EXPECT_EQ(Found.Value, Rational(4095));
}

TEST(LongSumNumbers, WhatLacksAValueIsNamed) {
  LongSumNumbers Numbers;
  const auto Found =
      Numbers.of("", Expr::symbol("n"), [](const Expr &Summand) { return Summand; }, noValue);
  EXPECT_FALSE(Found.Value);
  EXPECT_EQ(Found.Lacks, "n");
}
