//===- RunTest.cpp - what runs tell of unknowns ---------------------------===//
//
// Means of several processes and runs, and functions that call themselves, by hand.
//
//===----------------------------------------------------------------------===//

#include "model/program/Run.h"
#include "model/program/KnownCalls.h"
#include "model/program/Program.h"

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
  Function F = withUnknown("trips@");
  All.bind(F, "a.c");
  EXPECT_EQ(F.Unknowns[0].Measured, Rational(3, 2));
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
  EXPECT_THAT(F.Unknowns[0].Why, HasSubstr("none of the given runs executed it"));
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
  Totals T = totalsOf(F, {});
  EXPECT_EQ(T.Values[Flops], Expr(8));
  EXPECT_TRUE(T.OpenCalls.empty());
  EXPECT_EQ(T.KnownAs[Flops], Known::Measured);
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

static const char *const Site = "call@a.c:1:1";

/// f: ten times a call through a pointer, with n.
static Function throughPointer() {
  Function F;
  F.Name = F.Demangled = "f";
  F.Parameters = {{"n", "i64"}};
  F.Body.Entries = 1;
  F.Body.Blocks = {{.Runs = 10,
                    .Calls = {{.Callee = {},
                               .Arguments = {Expr::symbol("n")},
                               .Location = {"a.c", 1, 1},
                               .Symbol = Site}}}};
  return F;
}

static ProcessRun called(std::vector<CalledFunction> Which) {
  return {
      .Program = "a", .Ended = "exit", .Functions = {{"a.c", "f", {}, {{Site, std::move(Which)}}}}};
}

/// The totals of \p F, which calls functions g, 2 flops, and h, as many as its argument says.
static Totals totalsOfCalls(const Function &F) {
  static const Function G = [] {
    Function Result = recursive(0);
    Result.Body.Blocks.pop_back(); // it calls nothing
    Result.Name = "g";
    return Result;
  }();
  static const Function H = [] {
    Function Result = recursive(0);
    Result.Body.Blocks.pop_back();
    Result.Name = "h";
    Result.Body.Blocks[0].PerRun = {};
    Result.Body.Blocks[0].PerRun.add(Flops, Expr::symbol("n"));
    return Result;
  }();
  return TotalsBuilder(
             [](const std::string &Name, const Function &) {
               return Name == "g" ? &G : Name == "h" || Name == "b.c:h" ? &H : nullptr;
             },
             {{"n", 8}}, /*UseMeasured=*/true)
      .of(F);
}

static Totals throughPointers(Function F,
                              const std::vector<std::vector<CalledFunction>> &CalledFunctions) {
  Runs All;
  for (const std::vector<CalledFunction> &Run : CalledFunctions)
    All.add({called(Run)});
  All.bind(F, "a.c");
  return totalsOfCalls(F);
}

TEST(PointerCalls, EachFunctionHasItsShare) {
  // Of ten calls 7.5 are of g, 2 flops, and 2.5 of h, 8 flops.
  Totals T = throughPointers(throughPointer(), {{{"g", "", 3}, {"h", "", 1}}});
  EXPECT_EQ(T.Values[Flops], Expr(35));
  EXPECT_EQ(T.KnownAs[Flops], Known::Measured);
  EXPECT_TRUE(T.OpenCalls.empty());
}

TEST(PointerCalls, AMeanStandsForAnArgumentThatHasNoFormulaForAll) {
  // h is called 2.5 times, with 12 / 4 each.
  Totals T = throughPointers(throughPointer(), {{{"g", "", 12}, {"h", "", 4, {{0, 12}}}}});
  EXPECT_EQ(T.Values[Flops], Expr(Rational(45, 2)));
}

TEST(PointerCalls, WhatHasNoRecordOrNoNameStaysOpen) {
  Totals T = throughPointers(throughPointer(), {{{"g", "", 5}, {"k", "", 3}, {"", "", 2}}});
  EXPECT_EQ(T.Values[Flops], Expr(10));
  EXPECT_EQ(T.OpenCalls.at("call:k"), Expr(3));
  EXPECT_EQ(T.OpenCalls.at(Site), Expr(2));
}

TEST(PointerCalls, AFunctionLocalToAnotherUnitIsFoundThere) {
  Totals T = throughPointers(throughPointer(), {{{"h", "b.c", 7}}});
  EXPECT_EQ(T.Values[Flops], Expr(80));
}

/// The totals of ten calls of \p Targets, with n = 8.
static Totals throughKnown(const code::PointerTargets &Targets, Function &F) {
  F = throughPointer();
  bindTargets(F, {{Site, Targets}});
  return totalsOfCalls(F);
}

// What calls through pointers call where the program's code says it.
TEST(KnownCalls, OneFunctionIsCalledEachTime) {
  Function F;
  Totals T = throughKnown({{{"g", 1}}, /*AreCounted=*/false}, F);
  EXPECT_EQ(T.Values[Flops], Expr(20));
  EXPECT_EQ(T.KnownAs[Flops], Known::Assumed);
  EXPECT_TRUE(T.OpenCalls.empty());
}

TEST(KnownCalls, EachFunctionHasItsShare) {
  // Of ten calls 7.5 are of g, 2 flops, and 2.5 of h, 8 flops.
  Function F;
  Totals T = throughKnown({{{"g", 3}, {"h", 1}}, /*AreCounted=*/true}, F);
  EXPECT_EQ(T.Values[Flops], Expr(35));
  EXPECT_EQ(T.KnownAs[Flops], Known::Estimated);
}

TEST(KnownCalls, AShareThatIsNotKnownIsAskedFor) {
  Function F;
  Totals T = throughKnown({{{"g", 1}, {"h", 1}}, /*AreCounted=*/false}, F);
  EXPECT_EQ(T.Values[Flops], Expr(20) * Expr::symbol("taken@a.c:1:1:g") +
                                 Expr(80) * Expr::symbol("taken@a.c:1:1:h"));
  ASSERT_EQ(F.Unknowns.size(), 2u);
  EXPECT_EQ(F.Unknowns[0].Symbol, "taken@a.c:1:1:g");
  EXPECT_EQ(F.Unknowns[0].Estimate, Rational(1, 2));
}

TEST(PointerCalls, RunsThatDifferAreNamed) {
  Function F = throughPointer();
  Runs All;
  All.add({called({{"g", "", 1}})});
  All.add({called({{"g", "", 1}, {"h", "", 1}})});
  All.bind(F, "a.c");
  ASSERT_EQ(F.Unknowns.size(), 2u);
  EXPECT_EQ(F.Unknowns[0].Symbol, "taken@a.c:1:1:g");
  EXPECT_EQ(F.Unknowns[0].Measured, std::nullopt);
  EXPECT_THAT(F.Unknowns[0].Why, HasSubstr("1, 1/2"));
  EXPECT_THAT(F.Unknowns[1].Why, HasSubstr("0, 1/2"));
}

TEST(PointerCalls, WhereNoRunCameByTheCallStaysAsItIs) {
  Function F = throughPointer();
  Runs All;
  All.add({counted("a.c", 1, 1)});
  All.bind(F, "a.c");
  EXPECT_EQ(F.Body.Blocks[0].Calls.size(), 1u);
  ASSERT_EQ(F.Unknowns.size(), 1u);
  EXPECT_THAT(F.Unknowns[0].Why, HasSubstr("none of the given runs executed it"));
}
