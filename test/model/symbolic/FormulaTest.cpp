//===- FormulaTest.cpp - real-valued formulas -----------------------------===//

#include "model/symbolic/Formula.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace ergon;

static double valueOf(std::string_view Text, const Formula::Values &V = {}) {
  auto Parsed = Formula::parse(Text);
  EXPECT_TRUE(Parsed) << Text << ": " << Parsed.error().What;
  auto Value = Parsed.value_or(Formula()).evaluate(V);
  EXPECT_TRUE(Value) << Text << ": " << Value.error().What;
  return Value.value_or(NAN);
}

static std::string parseError(std::string_view Text) {
  auto Parsed = Formula::parse(Text);
  EXPECT_FALSE(Parsed) << Text;
  return Parsed ? "" : Parsed.error().Where + ": " + Parsed.error().What;
}

static std::string noValue(std::string_view Text, const Formula::Values &V = {}) {
  auto Value = Formula::parse(Text).value_or(Formula()).evaluate(V);
  EXPECT_FALSE(Value) << Text;
  return Value ? "" : Value.error().What;
}

TEST(Formula, BindsAsArithmeticDoes) {
  EXPECT_EQ(valueOf("1 + 2*3"), 7);
  EXPECT_EQ(valueOf("8/4/2"), 1);
  EXPECT_EQ(valueOf("8 - 4 - 2"), 2);
  EXPECT_EQ(valueOf("-2^2"), -4);
  EXPECT_EQ(valueOf("2^3^2"), 512);
  EXPECT_EQ(valueOf("2^-1"), 0.5);
  EXPECT_EQ(valueOf("-(1 + 2)*+2"), -6);
  EXPECT_EQ(valueOf(" ( 1+2 ) * 3 "), 9);
  EXPECT_EQ(valueOf("1.5e3 + .5"), 1500.5);
}

TEST(Formula, KnowsItsFunctions) {
  EXPECT_EQ(valueOf("log2(8)"), 3);
  EXPECT_EQ(valueOf("sqrt(16) + floor(2.9) + ceil(2.1)"), 9);
  EXPECT_EQ(valueOf("min(1, 2) - max(1, 2)"), -1);
  EXPECT_DOUBLE_EQ(valueOf("exp(ln(5))"), 5);
}

/// CG's computation overhead at n = 16 and p = 4: 16^0.7 = 2^2.8, 2^(1.1·1) = 2^1.1.
TEST(Formula, HasFractionalPowersOfSymbols) {
  EXPECT_DOUBLE_EQ(valueOf("1.86e6*n^0.7*2^(1.1*(log2(p) - 1))", {{"n", 16}, {"p", 4}}),
                   1.86e6 * std::exp2(3.9));
}

TEST(Formula, NamesItsSymbols) {
  const Formula F = *Formula::parse("n*log2(p) + flops_f64/n + a.b");
  EXPECT_EQ(F.symbols(), (std::set<std::string, std::less<>>{"a.b", "flops_f64", "n", "p"}));
  EXPECT_FALSE(F.hasSteps());
  EXPECT_TRUE(Formula::parse("2*ceil(log2(p))")->hasSteps());
}

TEST(Formula, SaysWhatCannotBeRead) {
  EXPECT_EQ(parseError(""), "character 1: expected a number, a symbol or '('");
  EXPECT_EQ(parseError("2*"), "character 3: expected a number, a symbol or '('");
  EXPECT_EQ(parseError("2n"), "character 2: unexpected character");
  EXPECT_EQ(parseError("(n"), "character 3: expected ')'");
  EXPECT_EQ(parseError("n)"), "character 2: unexpected character");
  EXPECT_EQ(parseError("1e999"), "character 1: no number, or one out of range");
  EXPECT_EQ(parseError("0x10"), "character 2: unexpected character");
  EXPECT_EQ(parseError("n²"), "character 2: unexpected character");
  EXPECT_TRUE(parseError("log(p)").starts_with("character 7: no function 'log' of 1 operands"));
  EXPECT_TRUE(parseError("min(1)").starts_with("character 7: no function 'min' of 1 operands"));
  EXPECT_TRUE(parseError("negative(1)").starts_with("character 12: no function 'negative'"));
  EXPECT_EQ(parseError(std::string(1000, '(')), "character 201: nested too deeply");
  EXPECT_EQ(parseError(std::string(1000, '-')), "character 201: nested too deeply");
}

TEST(Formula, HasNoValueWhereAnOperationHasNone) {
  EXPECT_EQ(noValue("1/(n - 1)", {{"n", 1}}), "1 / 0");
  EXPECT_EQ(noValue("log2(0*n)", {{"n", 1}}), "log2(0)");
  EXPECT_EQ(noValue("(-2)^0.5"), "-2 ^ 0.5");
  EXPECT_EQ(noValue("sqrt(-1)"), "sqrt(-1)");
  EXPECT_EQ(noValue("10^400"), "10 ^ 400");
  EXPECT_EQ(noValue("2*m"), "m");
}
