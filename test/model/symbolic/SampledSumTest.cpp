//===- SampledSumTest.cpp - sums of what has no formula, and slopes -------===//

#include "model/symbolic/SampledSum.h"
#include "model/symbolic/Slopes.h"

#include <gtest/gtest.h>

#include <map>

using namespace ergon;

static Rational sumOf(const Rational &Trips, const Expr &Summand) {
  Rational Result = 0;
  for (const auto &[Iteration, Weight] : sampleIterations(Trips).Points)
    Result += Weight * *Summand.evaluate([&](const std::string &) { return Iteration; });
  return Result;
}

TEST(SampledSum, PolynomialsAreExact) {
  const Expr X = Expr::symbol("x");
  for (std::int64_t Trips : {0, 1, 12, 13, 100, 4097})
    for (unsigned Degree = 0; Degree <= 6; ++Degree)
      EXPECT_EQ(Expr(sumOf(Trips, power(X, Degree) + 1)),
                sum("x", 0, Trips - 1, power(X, Degree) + 1))
          << Trips << " " << Degree;
}

TEST(SampledSum, FractionsOfIterations) {
  EXPECT_EQ(sumOf(Rational(5, 2), 1), Rational(5, 2));
  EXPECT_EQ(sumOf(Rational(41, 2), 1), Rational(41, 2));
  EXPECT_TRUE(sampleIterations(-3).Points.empty());
}

TEST(SampledSum, SaysWhetherAllAreThere) {
  EXPECT_TRUE(sampleIterations(12).IsWhole);
  EXPECT_FALSE(sampleIterations(13).IsWhole);
}

TEST(Slopes, OfEachSymbol) {
  const auto Formula = *parseExpr("3*n^2*m+floor(n,4)+max(n,m)*2+[n]");
  Slopes Found;
  const double Value = valueWithSlopes(
      Formula, [](const std::string &Name) { return Name == "n" ? 10 : 7; }, 2, Found);
  EXPECT_DOUBLE_EQ(Value, 2100 + 2 + 20 + 1);
  std::map<std::string, double> Sums;
  for (const auto &[Symbol, Slope] : Found)
    Sums[*Symbol] += Slope;
  EXPECT_DOUBLE_EQ(Sums["n"], 2 * (6 * 10 * 7 + 0.25 + 2));
  EXPECT_DOUBLE_EQ(Sums["m"], 2 * 300);
}
