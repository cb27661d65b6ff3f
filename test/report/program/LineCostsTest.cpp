//===- LineCostsTest.cpp - a function taken apart into lines --------------===//

#include "report/program/LineCosts.h"

#include <gmock/gmock.h>

using namespace ergon;

/// Two lines in a loop of n iterations, one of them with a call; and a flop of no line before.
static Function twoLines() {
  Function Result;
  Result.Name = Result.Demangled = "f";
  Result.At = {"f.c", 1, 1};
  Result.Parameters = {{"n", "i64"}};
  Counts One, Two, All, Before;
  One.add(of(CostClass::Flops, FloatType::F64), 2);
  Two.add(of(CostClass::Flops, FloatType::F64), Expr::symbol("n"));
  All += One;
  All += Two;
  Before.add(of(CostClass::Flops, FloatType::F64), 1);
  Loop Inner;
  Inner.Variable = "i";
  Inner.At = {"f.c", 2, 3};
  Inner.Entries = 1;
  Inner.Last = Expr::symbol("n") - 1;
  Inner.Blocks.push_back({.Runs = 1, .PerRun = All});
  Inner.Blocks[0].Lines = {{3, "", One}, {4, "", Two}};
  Inner.Blocks[0].Calls = {{.Callee = "g", .Arguments = {}, .At = {"f.c", 4, 5}}};
  Result.Body.Entries = 1;
  Result.Body.Blocks.push_back({.Runs = 1, .PerRun = Before});
  Result.Body.Loops.push_back(std::move(Inner));
  return Result;
}

TEST(FunctionLines, AreAllOfTheFunction) {
  const Function Of = twoLines();
  Function Callee;
  Callee.Name = Callee.Demangled = "g";
  Counts Each;
  Each.add(of(CostClass::Flops, FloatType::F64), 7);
  Callee.Body.Entries = 1;
  Callee.Body.Blocks.push_back({.Runs = 1, .PerRun = Each});
  const FunctionLookup Find = [&](const std::string &Name, const Function &Caller) {
    EXPECT_EQ(&Caller, &Of) << "a part of a function asks";
    return Name == "g" ? &Callee : nullptr;
  };
  const FunctionLines Lines(Of, Find);

  Bindings Bound;
  Bound.Given = {{"n", 10}};
  PredictionDocument Whole;
  Whole.Counts = *evaluateCounts(TotalsBuilder(Find, Bound.substitution()).of(Of), {}, {});
  Whole.OnMachine.emplace();
  Whole.OnMachine->BreakdownJ = {{"flops_f64", 191}, {"constant", 5}};
  const auto Table = Lines.share(Whole, Bound);
  ASSERT_TRUE(Table) << Table.error().line();
  // 2·n on line 3, n·n + 7·n on line 4, 1 without a line: 191 for n = 10, each of a joule.
  ASSERT_EQ(Table->Rows.size(), 2u);
  EXPECT_EQ(Table->Rows[0].Of->Line, 3u);
  EXPECT_DOUBLE_EQ(*Table->Rows[0].EnergyJ, 20);
  EXPECT_DOUBLE_EQ(*Table->Rows[1].EnergyJ, 170);
  EXPECT_EQ(toPretty(Table->Rows[1].Of->Times), "n·[n ≥ 1]");
  ASSERT_EQ(Table->Rest.size(), 2u);
  EXPECT_EQ(Table->Rest[0].What, "code of which no line is known");
  EXPECT_DOUBLE_EQ(Table->Rest[0].EnergyJ, 1);
  EXPECT_EQ(Table->Rest[1].What, "constant power");
  EXPECT_DOUBLE_EQ(Table->Rest[1].EnergyJ, 5);
}
