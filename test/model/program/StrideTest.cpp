//===- StrideTest.cpp - how far an access goes in an iteration ------------===//

#include "model/program/Stride.h"

#include <gtest/gtest.h>

using namespace ergon;

TEST(Stride, OfLinearOffsetsAlone) {
  const auto Function = [](std::string_view Text) { return stride(*parseExpr(Text), "i"); };
  EXPECT_EQ(Function("8*n*i + 4*j"), *parseExpr("8*n"));
  EXPECT_EQ(Function("4*j + 16"), Expr()); // it stays
  EXPECT_EQ(Function("-8*i"), Expr(-8));
  EXPECT_FALSE(Function("8*i^2"));
  EXPECT_FALSE(Function("8*floor(i,2)"));
}

TEST(Stride, AsANumber) {
  EXPECT_EQ(constantStride(*parseExpr("8*i + n"), "i"), Rational(8));
  EXPECT_EQ(constantStride(*parseExpr("n"), "i"), Rational(0));
  EXPECT_FALSE(constantStride(*parseExpr("n*i"), "i"));
}

TEST(Stride, OfAnAccessWithoutAFormulaIsNotKnown) {
  Access A;
  Loop L;
  L.Variable = "i";
  EXPECT_FALSE(stride(A, L));
  A.Offset = *parseExpr("8*i");
  EXPECT_EQ(stride(A, L), Expr(8));
}
