//===- SampledRunsTest.cpp - what loops do for many sizes -----------------===//
//
// What is ever long, and how far a walk goes, is by hand.
//
//===----------------------------------------------------------------------===//
#include "model/lint/SampledRuns.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace ergon;

static Expr symbol(const char *Name) { return Expr::symbol(Name); }

static Loop loopOver(const char *Variable, Expr Last, Expr Entries = 1) {
  Loop Result;
  Result.Variable = Variable;
  Result.Entries = std::move(Entries);
  Result.Last = std::move(Last);
  return Result;
}

static bool mayRunLong(const Loop &L) {
  const Loop *Around[] = {&L};
  return SampledRuns(Function{}).mayBeLong(Around, 4);
}

TEST(SampledRuns, TheRestOfAVectorLoopIsNeverLong) {
  const Expr N = symbol("n");
  EXPECT_TRUE(mayRunLong(loopOver("i", N - 1)));
  EXPECT_FALSE(mayRunLong(loopOver("i", N - 4 * floorDiv(N, 4) - 1)));
  EXPECT_TRUE(mayRunLong(loopOver("i", N - 8 * floorDiv(N, 8) - 1)));
  EXPECT_FALSE(mayRunLong(loopOver("i", 2)));
  EXPECT_TRUE(mayRunLong(loopOver("i", 3)));
  // Where the number of elements is too small for a vector.
  EXPECT_FALSE(mayRunLong(loopOver("i", N - 1, isAtLeast(3, N))));
}

TEST(SampledRuns, WhatABranchAsksForIsTried) {
  const Expr N = symbol("n"), Mode = symbol("mode");
  const Expr IsTwo = isEqual(Mode, 2);
  EXPECT_TRUE(mayRunLong(loopOver("i", N - 1, IsTwo)));
  // Nothing is said of what never ran.
  EXPECT_TRUE(mayRunLong(loopOver("i", 1, isAtLeast(Mode, 1000000))));
}

TEST(SampledRuns, AnInnerLoopFollowsTheOneAround) {
  const Loop Outer = loopOver("i", 1), Inner = loopOver("j", symbol("i"));
  const Loop *Around[] = {&Outer, &Inner};
  EXPECT_FALSE(SampledRuns(Function{}).mayBeLong(Around, 4));
}

TEST(SampledRuns, TheFarthestPlaceOfATriangle) {
  const Loop Rows = loopOver("i", 15), Columns = loopOver("j", symbol("i"));
  const Loop *Around[] = {&Rows, &Columns};
  const Expr Offset = 64 * symbol("i") + 4 * symbol("j") + symbol("start");
  EXPECT_EQ(SampledRuns(Function{}).farthest(Offset, Around), 15 * 64 + 15 * 4);
  EXPECT_EQ(SampledRuns(Function{}).farthest(-Offset, Around), 15 * 64 + 15 * 4);
  const Loop Open = loopOver("i", symbol("n") - 1);
  const Loop *Far[] = {&Open};
  EXPECT_GT(SampledRuns(Function{}).farthest(64 * symbol("i"), Far), 64 * 4096);
  const Loop Never = loopOver("i", -1);
  const Loop *Nothing[] = {&Never};
  EXPECT_TRUE(std::isinf(SampledRuns(Function{}).farthest(64 * symbol("i"), Nothing)));
}

TEST(SampledRuns, WhatTheCompilerBoundsIsDrawnWithin) {
  const Loop Open = loopOver("i", symbol("trips@a.c:3:5") - 1);
  const Loop *Around[] = {&Open};
  Function F;
  F.Unknowns = {{"trips@a.c:3:5", {}, "", {}, 16}};
  EXPECT_EQ(SampledRuns(F).farthest(64 * symbol("i"), Around), 15 * 64);
  EXPECT_TRUE(SampledRuns(F).mayBeLong(Around, 4));
  F.Unknowns[0].Most = 3;
  EXPECT_FALSE(SampledRuns(F).mayBeLong(Around, 4));
}
