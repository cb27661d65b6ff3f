//===- RunTest.cpp - what runs tell of unknowns ---------------------------===//
//
// Means of several processes and runs, and functions that call themselves, by hand.
//
//===----------------------------------------------------------------------===//

#include "model/Run.h"
#include "model/Program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace ergon;
using testing::HasSubstr;

static const CostClass Flops = of(CostClass::Flops, FloatType::F64);

static Function withUnknown(const std::string &Symbol) {
  Function Result;
  Result.Name = Result.Demangled = "f";
  Result.Unknowns = {{Symbol, {}, "why"}};
  return Result;
}

static ProcessRun counted(const std::string &Unit, std::int64_t Sum, std::int64_t Times) {
  return {.Program = "a", .Ended = "exit", .Functions = {{Unit, "f", {{"trips@", {Sum, Times}}}}}};
}

TEST(Runs, ProcessesOfOneRunAddUp) {
  Runs All;
  All.add({counted("a.c", 3, 1), counted("b.c", 4, 3)}); // not the mean of 3 and 4/3
  Function F = withUnknown("trips@");
  All.bind(F, "a.c");
  EXPECT_EQ(F.Unknowns[0].Measured, Rational(7, 4));
}

TEST(Runs, AFunctionLocalToItsUnitIsAnotherInEach) {
  Runs All;
  All.add({counted("a.c", 3, 1), counted("b.c", 4, 3)});
  Function F = withUnknown("trips@");
  F.IsLocal = true;
  All.bind(F, "b.c");
  EXPECT_EQ(F.Unknowns[0].Measured, Rational(4, 3));
}

TEST(Runs, SeveralRunsMustAgree) {
  Runs All;
  All.add({counted("a.c", 3, 2)});
  All.add({counted("a.c", 30, 20)});
  Function Same = withUnknown("trips@");
  All.bind(Same, "a.c");
  EXPECT_EQ(Same.Unknowns[0].Measured, Rational(3, 2));
  All.add({counted("a.c", 5, 2)});
  Function Other = withUnknown("trips@");
  All.bind(Other, "a.c");
  EXPECT_EQ(Other.Unknowns[0].Measured, std::nullopt);
  EXPECT_THAT(Other.Unknowns[0].Why, HasSubstr("3/2, 5/2"));
}

TEST(Runs, WhatNoRunCameByStaysOpen) {
  Runs All;
  All.add({counted("a.c", 0, 0)});
  Function F = withUnknown("trips@");
  All.bind(F, "a.c");
  EXPECT_EQ(F.Unknowns[0].Measured, std::nullopt);
  EXPECT_THAT(F.Unknowns[0].Why, HasSubstr("no run that was given came by"));
}

/// f: 2 flops, and `Again` calls of itself.
static Function recursive(const Expr &Again) {
  Function F = withUnknown("runs@1");
  F.Parameters = {{"n", "i64"}};
  F.Body.Entries = 1;
  Block Own;
  Own.Runs = 1;
  Own.PerRun.add(Flops, Expr(2));
  Block Calls;
  Calls.Runs = Again;
  Calls.Calls = {{"f", false, {Expr::symbol("n") - 1}, {"a.c", 1, 1}}};
  F.Body.Blocks = {Own, Calls};
  return F;
}

static Totals totalsOf(const Function &F, const Substitution &Bound) {
  return TotalsBuilder([&](const std::string &, const Function &) { return &F; }, Bound,
                       /*UseMeasured=*/true)
      .of(F);
}

TEST(Recursion, AMeanOfCallsBelowOneEnds) {
  // Three calls of four call once more: 1 + 3/4 + 9/16 + … = 4 calls.
  Function F = recursive(Expr::symbol("runs@1"));
  F.Unknowns[0].Measured = Rational(3, 4);
  Totals Of = totalsOf(F, {});
  EXPECT_EQ(Of.Values[Flops], Expr(8));
  EXPECT_TRUE(Of.OpenCalls.empty());
  EXPECT_EQ(Of.KnownAs[Flops], Known::Measured);
}

TEST(Recursion, StaysOpenWithoutAMeanOrAnEnd) {
  Function F = recursive(Expr::symbol("runs@1"));
  EXPECT_TRUE(totalsOf(F, {}).OpenCalls.contains("recursion:f"));
  F.Unknowns[0].Measured = Rational(1);
  EXPECT_TRUE(totalsOf(F, {}).OpenCalls.contains("recursion:f"));
}

TEST(Recursion, StaysOpenWhereCallsDiffer) {
  // Whether it calls itself hangs on n, which is another in each call.
  Function F = recursive(isAtLeast(Expr::symbol("n"), 1) * Expr(Rational(1, 2)));
  EXPECT_TRUE(totalsOf(F, {{"n", 5}}).OpenCalls.contains("recursion:f"));
}
