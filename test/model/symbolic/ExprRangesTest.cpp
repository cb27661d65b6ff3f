//===- ExprRangesTest.cpp - where conditions hold -------------------------===//
//
// The first number for which a condition holds, against trying all of them.
//
//===----------------------------------------------------------------------===//

#include "model/symbolic/ExprRanges.h"

#include <gtest/gtest.h>

using namespace ergon;

/// Compares the formula with a search over 0 … 60 for m, n and t from -3 to 6.
static void expectFirst(const Expr &Condition) {
  auto Ways = waysOf(Condition);
  ASSERT_TRUE(Ways) << toText(Condition);
  auto First = firstOf(*Ways, "i");
  ASSERT_TRUE(First) << toText(Condition);
  for (int M = -3; M <= 6; ++M)
    for (int N = -3; N <= 6; ++N)
      for (int T = -3; T <= 6; ++T) {
        Substitution S{{"m", M}, {"n", N}, {"t", T}};
        Expr E = Condition.substitute(S);
        int I = 0;
        while (I <= 60 && E.substitute({{"i", I}}) == Expr(0))
          ++I;
        EXPECT_EQ(First->Happens.substitute(S), Expr(I <= 60 ? 1 : 0))
            << toText(Condition) << " m=" << M << " n=" << N << " t=" << T;
        if (I <= 60)
          EXPECT_EQ(First->Index.substitute(S), Expr(I))
              << toText(Condition) << " m=" << M << " n=" << N << " t=" << T;
      }
}

static Expr var(const char *Name) { return Expr::symbol(Name); }

TEST(ExprRanges, FirstOfProducts) {
  Expr I = var("i"), M = var("m"), N = var("n"), T = var("t");
  expectFirst(isAtLeast(2 * I, T));
  expectFirst(isAtLeast(T, 2 * I));
  expectFirst(isEqual(3 * I, T));
  expectFirst(isAtLeast(I, N) * isAtLeast(M, I) * isAtLeast(3 * I + 1, T));
  expectFirst(isAtLeast(N, 2) * isAtLeast(I, T));
  // A factor that only the rest of the product says to be positive.
  expectFirst(isAtLeast(M, 1) * isAtLeast(I * M + M - 1, T));
}

TEST(ExprRanges, FirstOfAlternatives) {
  Expr I = var("i"), M = var("m"), N = var("n"), T = var("t");
  expectFirst(Expr(1) - isAtLeast(N, I) * isAtLeast(T, 2 * I));
  expectFirst(isAtLeast(M, 1) - isAtLeast(M, 1) * isAtLeast(N, I) * isAtLeast(T, 2 * I));
  expectFirst(isAtLeast(I, 2) - isAtLeast(I, N) * isAtLeast(I, 2));
  expectFirst(isAtLeast(I, 2) - isAtLeast(I, 4));
}

TEST(ExprRanges, NothingWhereItIsNotLinear) {
  Expr I = var("i"), N = var("n");
  EXPECT_FALSE(firstOf({isAtLeast(I * N, 3)}, "i"));
  EXPECT_FALSE(firstOf({isAtLeast(I - 3 * floorDiv(I, 3), 2)}, "i"));
  EXPECT_FALSE(waysOf(2 * isAtLeast(I, 3)));
}

TEST(ExprRanges, WaysOfExtrema) {
  Expr I = var("i"), M = var("m"), N = var("n");
  auto Ways = waysNonNegative(max(M, I) - min(N, 2 * I + 1));
  ASSERT_TRUE(Ways);
  for (int A = -2; A <= 4; ++A)
    for (int B = -2; B <= 4; ++B)
      for (int J = 0; J <= 6; ++J) {
        Substitution S{{"m", A}, {"n", B}, {"i", J}};
        bool Any = false;
        for (const Expr &Way : *Ways)
          Any |= !(Way.substitute(S) == Expr(0));
        EXPECT_EQ(Any, std::max(A, J) >= std::min(B, 2 * J + 1));
      }
}
