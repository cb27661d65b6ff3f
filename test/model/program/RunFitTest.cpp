#include "model/program/RunFit.h"

#include <gtest/gtest.h>

using namespace ergon;

static std::vector<std::pair<Rational, Rational>> points(std::initializer_list<int> Sizes,
                                                         Rational (*Of)(const Rational &)) {
  std::vector<std::pair<Rational, Rational>> Result;
  for (int Size : Sizes)
    Result.emplace_back(Size, Of(Rational(Size)));
  return Result;
}

TEST(RunFit, ProportionalByTwoRuns) {
  const auto Fit = fittedAt({{4, 8}, {8, 16}}, 100, "argv[1]");
  ASSERT_TRUE(Fit);
  EXPECT_EQ(Fit->Value, Rational(200));
  EXPECT_EQ(Fit->Text, "≈ 2·argv[1]");
  EXPECT_FALSE(Fit->IsUnchecked);
}

TEST(RunFit, ALineByThreeRunsIsChecked) {
  const auto Fit =
      fittedAt(points({4, 8, 16}, [](const Rational &N) { return N * 3 - 2; }), 32, "n");
  ASSERT_TRUE(Fit);
  EXPECT_EQ(Fit->Value, Rational(94));
  EXPECT_EQ(Fit->Text, "≈ 3·n - 2");
  EXPECT_FALSE(Fit->IsUnchecked);
}

TEST(RunFit, TwoRunsGiveALineThatNothingConfirms) {
  const auto Fit = fittedAt({{10, 18}, {20, 38}}, 30, "n");
  ASSERT_TRUE(Fit);
  EXPECT_EQ(Fit->Value, Rational(58));
  EXPECT_TRUE(Fit->IsUnchecked);
}

TEST(RunFit, CubesOfAShiftedSize) {
  auto Inner = [](const Rational &N) { return (N - 2) * (N - 2) * (N - 2); };
  const auto Fit = fittedAt(points({6, 8, 12, 16, 24}, Inner), 66, "n");
  ASSERT_TRUE(Fit);
  EXPECT_EQ(Fit->Value, Rational(64 * 64 * 64));
}

TEST(RunFit, WhatIsNoPolynomialHasNone) {
  EXPECT_FALSE(fittedAt({{1, 2}, {2, 7}, {3, 1}, {4, 9}, {5, 3}}, 6, "n"));
  EXPECT_FALSE(fittedAt({{1, 2}}, 6, "n"));
  EXPECT_FALSE(fittedAt({{1, 2}, {1, 3}}, 6, "n"));
}
