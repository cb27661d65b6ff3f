//===- ProgramTest.cpp - totals, counts and costs of whole functions ------===//
//
// Loop trees built by hand; the totals they must have were derived on paper.
//
//===----------------------------------------------------------------------===//

#include "model/program/Program.h"
#include "model/energy/Cost.h"
#include "model/program/LoopTotals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

using namespace ergon;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

static const CostClass Flops = of(CostClass::Flops, FloatType::F64);
static const CostClass Loaded = of(CostClass::LoadBytes, Space::Memory);
static const Expr N = Expr::symbol("n"), I = Expr::symbol("i");

static Block block(CostClass Class, const Expr &Amount, const Expr &Runs = 1) {
  Block Result;
  Result.Runs = Runs;
  Result.PerRun.add(Class, Amount);
  return Result;
}

static Block calling(const std::string &Callee, std::vector<std::optional<Expr>> Arguments = {},
                     const Expr &Runs = 1) {
  Block Result;
  Result.Runs = Runs;
  Result.Calls = {{Callee, false, std::move(Arguments), {"a.c", 3, 4}}};
  return Result;
}

static Loop loop(const std::string &Variable, const Expr &Last, std::vector<Block> Blocks,
                 std::vector<Loop> Loops = {}, const Expr &Entries = 1) {
  Loop Result;
  Result.Variable = Variable;
  Result.Entries = Entries;
  Result.Last = Last;
  Result.Blocks = std::move(Blocks);
  Result.Loops = std::move(Loops);
  return Result;
}

static Function function(const std::string &Name, std::vector<Block> Blocks,
                         std::vector<Loop> Loops = {}) {
  Function Result;
  Result.Name = Result.Demangled = Name;
  Result.Snapshot = "algorithm";
  Result.Parameters = {{"n", "int"}};
  Result.Body = loop("", 0, std::move(Blocks), std::move(Loops));
  return Result;
}

/// A function of cost n: one loop of n iterations, 1 flop each.
static Function linear() {
  return function("linear", {}, {loop("i", N - 1, {block(Flops, 1)}, {}, isNonNegative(N - 1))});
}

static Totals totals(const Function &F, const std::vector<const Function *> &Others = {},
                     const Substitution &Bound = {}) {
  auto Find = [&](const std::string &Name, const Function &) {
    auto Found = std::ranges::find(Others, Name, &Function::Name);
    return Found == Others.end() ? nullptr : *Found;
  };
  return TotalsBuilder(Find, Bound).of(F);
}

static Rational at(const Expr &E, long Size) {
  auto Result = E.substitute({{"n", Expr(Size)}}).evaluate([](const std::string &) {
    return std::optional<Rational>();
  });
  EXPECT_TRUE(Result) << toText(E) << ": " << Result.error().What;
  return Result.value_or(Rational(-1));
}

TEST(Program, TriangularSolve) {
  // x[i] = (b[i] - sum over j < i of l[i][j]·x[j]) / l[i][i]: 2 flops per j and 1
  // per i, n² in all.
  Loop Inner = loop("j", I - 1, {block(Flops, 2)}, {}, isNonNegative(I - 1));
  const Function F =
      function("f", {}, {loop("i", N - 1, {block(Flops, 1)}, {Inner}, isNonNegative(N - 1))});
  const Totals Sum = totals(F);
  EXPECT_TRUE(Sum.Values[Flops] == N * N * isNonNegative(N - 1)) << toText(Sum.Values[Flops]);
  EXPECT_EQ(Sum.KnownAs.at(Flops), Known::Exact);
  EXPECT_EQ(at(totalsOfLoop(F, F.Body.Loops[0])[Flops], 9), 81);
  EXPECT_EQ(at(totalsOfLoop(F, F.Body.Loops[0].Loops[0])[Flops], 9), 72); // 2·(0 + … + 8)
}

TEST(Program, LoopsOfOneNestShareWhatTheyHaveInCommon) {
  // Unoptimized code: i and j have one iteration more, in which they find that they end; k <= i.
  const Expr J = Expr::symbol("j"), M = Expr::symbol("m");
  const Loop K = loop("k", I, {block(Flops, 7)}, {}, isNonNegative(M - J - 1));
  const Loop Inner =
      loop("j", max(M, 0), {block(Flops, 3), block(Flops, J, isNonNegative(M - J - 1))}, {K},
           isNonNegative(N - I - 1));
  const Function F = function("f", {}, {loop("i", max(N, 0), {block(Flops, 1)}, {Inner})});
  LoopTotals Totals(F);
  auto Value = [&](const Loop &Region, long Size) {
    return at(Totals.of(Region)[Flops].substitute({{"m", Expr(4)}}), Size);
  };
  // n = 6, m = 4. k: 7 flops for each k <= i < 6, 21 of them, and j < 4. j: 3·5 for each of 6, and
  // 6·(0 + 1 + 2 + 3).
  const Loop &Outer = F.Body.Loops[0];
  EXPECT_EQ(Value(Outer.Loops[0].Loops[0], 6), 7 * 21 * 4);
  EXPECT_EQ(Value(Outer.Loops[0], 6), 7 * 21 * 4 + 3 * 5 * 6 + 6 * 6);
  EXPECT_EQ(Value(Outer, 6), 7 * 21 * 4 + 3 * 5 * 6 + 6 * 6 + 7);
  EXPECT_EQ(Value(F.Body, 6), Value(Outer, 6));
  EXPECT_EQ(Value(Outer, -3), 1);
}

TEST(Program, BlocksRunAsOftenAsTheySay) {
  // 3 flops where i >= 2, i more in every iteration, and a loop of 5 where i >= 4.
  const Loop Inner = loop("j", 4, {block(Flops, 1)}, {}, isNonNegative(I - 4));
  const std::vector<Block> Blocks = {block(Flops, 3, isNonNegative(I - 2)), block(Flops, I)};
  const Function F = function("f", {block(Flops, 100)}, {loop("i", N - 1, Blocks, {Inner})});
  EXPECT_EQ(at(totals(F).Values[Flops], 6), 100 + 3 * 4 + 15 + 5 * 2);
  EXPECT_EQ(at(totalsOfLoop(F, F.Body.Loops[0])[Flops], 6), 37);
  EXPECT_EQ(at(totalsOfLoop(F, F.Body.Loops[0].Loops[0])[Flops], 6), 10);
  EXPECT_EQ(at(totals(F, {}, {{"n", Expr(6)}}).Values[Flops], 0), 137); // bound before
}

TEST(Program, KnownAndRestsBelongToTheirClass) {
  const Expr Taken = Expr::symbol("taken@a.c:5:6"), Trips = Expr::symbol("trips@a.c:7:8");
  Loop Unsure = loop("j", Trips - 1, {block(Flops, 2)}, {}, Expr::symbol("runs@a.c:7:8"));
  Unsure.TripsKnown = Known::Bound;
  const Function F = function("f", {block(Loaded, 8, Taken), block(CostClass::IntOps, N)},
                              {loop("i", N - 1, {}, {Unsure})});
  const Totals Sum = totals(F);
  EXPECT_EQ(Sum.KnownAs.at(Flops), Known::Bound);
  EXPECT_EQ(Sum.KnownAs.at(Loaded), Known::Exact);
  EXPECT_THAT(Sum.unknownsOf(Flops), ElementsAre("runs@a.c:7:8", "trips@a.c:7:8"));
  EXPECT_THAT(Sum.unknownsOf(Loaded), ElementsAre("taken@a.c:5:6"));
  EXPECT_THAT(Sum.unknownsOf(CostClass::IntOps), ElementsAre());
  // What was bound is still what the count rests on.
  const Totals Set =
      totals(F, {}, {{"trips@a.c:7:8", 5}, {"runs@a.c:7:8", 4}, {"taken@a.c:5:6", 1}, {"n", 3}});
  EXPECT_THAT(Set.unknownsOf(Flops), ElementsAre("runs@a.c:7:8", "trips@a.c:7:8"));
  const auto Counts = evaluateCounts(Set, {}, std::nullopt);
  EXPECT_EQ(Counts->Values.at("flops_f64"), 3 * 4 * 5 * 2);
  EXPECT_EQ(Counts->KnownAs.at("flops_f64"), Known::Assumed);
  EXPECT_EQ(Counts->KnownAs.at("int_ops"), Known::Exact);
}

TEST(ProgramCalls, ArgumentsThatChangeInALoopAreSummed) {
  const Function Callee = linear();
  const Function F = function("f", {}, {loop("i", N - 1, {calling("linear", {{I}})})});
  const Totals Sum = totals(F, {&Callee});
  EXPECT_EQ(at(Sum.Values[Flops], 10), 45); // 0 + 1 + … + 9
  EXPECT_EQ(at(totals(F, {&Callee}, {{"n", Expr(10)}}).Values[Flops], 0), 45);
}

TEST(ProgramCalls, BindingsOfTheEntryAreNotTheCallees) {
  // f(n) calls linear(2·n), both call their parameter n.
  const Function Callee = linear();
  const Function F = function("f", {calling("linear", {{2 * N}}, 3)});
  EXPECT_EQ(at(totals(F, {&Callee}, {{"n", Expr(5)}}).Values[Flops], 0), 30);
}

TEST(ProgramCalls, ABuilderCanBeAskedForMoreThanOneEntry) {
  const Function Callee = linear();
  const Function F = function("f", {calling("linear", {{2 * N}})});
  TotalsBuilder Builder([&](auto &, auto &) { return &Callee; }, {{"n", 5}});
  EXPECT_EQ(at(Builder.of(Callee).Values[Flops], 0), 5);
  EXPECT_EQ(at(Builder.of(F).Values[Flops], 0), 10);
  EXPECT_EQ(at(Builder.of(Callee).Values[Flops], 0), 5);
}

TEST(ProgramCalls, AnArgumentThatIsNoExpressionIsAnUnknown) {
  const Function Callee = linear();
  const Function F = function("f", {calling("linear", {std::nullopt})});
  const Totals Sum = totals(F, {&Callee});
  const std::string Symbol = "value@a.c:3:4:n";
  EXPECT_TRUE(Sum.Values[Flops].dependsOn(Symbol)) << toText(Sum.Values[Flops]);
  EXPECT_THAT(Sum.unknownsOf(Flops), ElementsAre(Symbol));
  EXPECT_EQ(at(totals(F, {&Callee}, {{Symbol, Expr(7)}}).Values[Flops], 0), 7);
}

TEST(ProgramCalls, CallsAtOnePositionAreToldApart) {
  // Two calls that a macro made at a.c:3:4, and two without debug information.
  const Function Inner = linear();
  Function F = function("f", {calling("linear", {{}}), calling("linear", {{}})});
  EXPECT_THAT(totals(F, {&Inner}).unknownsOf(Flops),
              ElementsAre("value@a.c:3:4#2:n", "value@a.c:3:4:n"));
  for (Block &B : F.Body.Blocks)
    B.Calls[0].Location = {};
  EXPECT_THAT(totals(F, {&Inner}).unknownsOf(Flops),
              ElementsAre("value@f:linear#2:n", "value@f:linear:n"));
}

TEST(ProgramCalls, WhatACalleeRestsOnReachesTheCaller) {
  Function Callee = function("g", {block(Flops, 1, Expr::symbol("taken@g.c:1:1"))},
                             {loop("i", N - 1, {block(Flops, 1)})});
  Callee.Body.Loops[0].TripsKnown = Known::Bound;
  const Function Middle = function("h", {calling("g", {{N}})});
  const Function F = function("f", {calling("h", {{N}}, Expr::symbol("taken@f.c:2:2"))});
  const Totals Sum = totals(F, {&Callee, &Middle});
  EXPECT_EQ(Sum.KnownAs.at(Flops), Known::Bound);
  EXPECT_THAT(Sum.unknownsOf(Flops), UnorderedElementsAre("taken@g.c:1:1", "taken@f.c:2:2"));
}

TEST(ProgramCalls, ACallerTellsWhatItKnowsBehindPointersInItsObjects) {
  Function Callee = function(
      "g", {block(Flops, Expr::symbol("p->a->n")), block(Loaded, Expr::symbol("p->a->v"))});
  Callee.Parameters = {{"p", "ptr"}};
  Callee.Cells = {{"p->a->n", 0, {8, 16}, 4}, {"p->a->v", 0, {8, 8}, 4, 8}};
  Function F = function("f", {calling("g", {std::nullopt})});
  const Expr From = Expr::symbol("&");
  F.Body.Blocks[0].Calls[0].Objects = {{0,
                                        std::nullopt,
                                        {{16, 4, 3 * N, false, {8}},
                                         {16, 4, Expr(7)},
                                         {8, 8, From + 4 * N, true, {8}},
                                         {0, 8, From, true, {8}}}}};
  const Totals Sum = totals(F, {&Callee});
  EXPECT_EQ(at(Sum.Values[Flops], 5), 15);
  EXPECT_EQ(at(Sum.Values[Loaded], 5), 5);
}

TEST(ProgramCalls, WhatIsNotCountedStaysOpen) {
  Function F = function("f", {calling("f", {{N - 1}}), calling("puts"), calling("")},
                        {loop("i", N - 1, {calling("puts")})});
  F.Body.Blocks.push_back(calling("kernel"));
  F.Body.Blocks.back().Calls[0].IsLaunch = true;
  const Function Kernel = function("kernel", {block(Flops, 1)});
  const Totals Sum = totals(F, {&F, &Kernel});
  std::map<std::string, Rational> Times;
  for (const auto &[Name, OpenCall] : Sum.OpenCalls)
    Times[Name] = at(OpenCall, 4);
  EXPECT_EQ(Times,
            (std::map<std::string, Rational>{
                {"recursion:f", 1}, {"call:puts", 5}, {"call@a.c:3:4", 1}, {"launch:kernel", 1}}));
  EXPECT_TRUE(Sum.Values.empty());
}

TEST(ProgramCalls, OpenCallsOfACalleeTakeItsArguments) {
  const Function Callee = function("g", {}, {loop("i", N - 1, {calling("puts")})});
  const Function F = function("f", {}, {loop("i", N - 1, {calling("g", {{I}})})});
  EXPECT_EQ(at(totals(F, {&Callee}).OpenCalls.at("call:puts"), 5), 10);
}

TEST(Function, ParametersSwapNames) {
  Function F = function("f", {block(Flops, N - 2 * Expr::symbol("m"))});
  F.Body.Blocks[0].Accesses = {{Access::Kind::Load, Space::Memory, 8, "n", 8 * N, 1}};
  F.Parameters = {{"n", "int"}, {"m", "int"}};
  renameParameters(F, {"m", "n"});
  EXPECT_EQ(F.Parameters[0].Name + F.Parameters[1].Name, "mn");
  EXPECT_TRUE(F.Body.Blocks[0].PerRun[Flops] == Expr::symbol("m") - 2 * N);
  EXPECT_EQ(F.Body.Blocks[0].Accesses[0].Base, "m");
}

static Expr thread(const std::string &Axis) {
  return Expr::symbol("blockIdx." + Axis) * Expr::symbol("block." + Axis) +
         Expr::symbol("threadIdx." + Axis);
}

static Function kernel(const Expr &Runs) {
  Function Result = function("kernel", {block(Flops, 2, Runs)});
  Result.IsKernel = true;
  return Result;
}

static Substitution launch(long GridX, long BlockX, long GridY = 1, long BlockY = 1, long GridZ = 1,
                           long BlockZ = 1) {
  return {{"grid.x", GridX},   {"block.x", BlockX}, {"grid.y", GridY},
          {"block.y", BlockY}, {"grid.z", GridZ},   {"block.z", BlockZ}};
}

/// Flops of a launch with its dimensions put in before the sum, and after it too.
static Rational launched(const Function &F, const Substitution &Launch, long Size) {
  const Rational Before = at(totals(F, {}, Launch).Values[Flops], Size);
  EXPECT_EQ(at(totals(F).Values[Flops].substitute(Launch), Size), Before);
  return Before;
}

TEST(ProgramKernel, GuardedThreads) {
  const Function F = kernel(isNonNegative(N - 1 - thread("x")));
  for (long Size : {0, 1, 100, 128, 500})
    EXPECT_EQ(launched(F, launch(4, 32), Size), 2 * std::min(Size, 128L)) << Size;
}

TEST(ProgramKernel, UnguardedThreadsOfEveryAxis) {
  EXPECT_EQ(launched(kernel(1), launch(2, 7, 3, 11, 5, 13), 0), 2 * 30030);
}

TEST(ProgramKernel, TwoDimensions) {
  // i < n and j < i in a grid of threads that is larger: a triangle.
  const Function F =
      kernel(isNonNegative(N - 1 - thread("y")) * isNonNegative(thread("y") - thread("x") - 1));
  for (long Size : {0, 1, 5, 11})
    EXPECT_EQ(launched(F, launch(3, 4, 2, 8), Size), Size * (Size - 1)) << Size;
}

TEST(ProgramKernel, IndicesThatStandApart) {
  // Each thread of each block runs blockIdx.x + 10·threadIdx.x times, each run 2
  // flops: 4·(0 + 1 + 2) and 3·10·(0 + 1 + 2 + 3) runs.
  const Function F = kernel(Expr::symbol("blockIdx.x") + 10 * Expr::symbol("threadIdx.x"));
  EXPECT_EQ(launched(F, launch(3, 4), 0), 2 * (12 + 180));
}

TEST(EvaluateCounts, ListsWhatIsUnboundAndWhatIsOpen) {
  const Function F = function("f", {block(Flops, N * Expr::symbol("trips@a.c:1:2")),
                                    block(Loaded, 64), calling("puts"), calling("free")});
  const auto Counts = evaluateCounts(totals(F), {"call:free"}, std::nullopt);
  ASSERT_TRUE(Counts);
  EXPECT_THAT(Counts->Unbound, ElementsAre("call:puts", "n", "trips@a.c:1:2"));
  EXPECT_TRUE(Counts->Values.empty()); // puts may count in each of them
  EXPECT_THAT(Counts->Needs.at("flops_f64"), ElementsAre("call:puts", "n", "trips@a.c:1:2"));
  EXPECT_THAT(Counts->Needs.at("load_bytes_memory"), ElementsAre("call:puts"));
  EXPECT_THAT(Counts->Needs.at("bytes_dram"), ElementsAre("call:puts"));
  const auto CountValues = evaluateCounts(totals(F), {"call:free", "call:puts"}, std::nullopt);
  EXPECT_EQ(CountValues->Values.at("load_bytes_memory"), 64);
  EXPECT_FALSE(CountValues->Values.contains("flops_f64"));
}

/// Where i² lies between \p Pieces pairs of bounds: no condition is linear in i.
static Expr between(int Pieces, const Expr &E) {
  Expr Result;
  for (int K = 0; K != Pieces; ++K)
    Result += isNonNegative(E * E - 4 * K * N) * isNonNegative(4 * K * N + N - E * E);
  return Result;
}

TEST(EvaluateCounts, WhatIsTooLargeForItsClassLeavesItOpen) {
  const Function F = function("f", {block(Flops, 1), block(Loaded, 64)},
                              {loop("i", N - 1, {block(Flops, 2, between(200, I))})});
  const auto Counts = evaluateCounts(totals(F), {}, std::nullopt);
  ASSERT_TRUE(Counts);
  EXPECT_THAT(Counts->Unbound, ElementsAre("n"));
  EXPECT_FALSE(Counts->Values.contains("flops_f64"));
  EXPECT_THAT(Counts->Needs.at("flops_f64"), ElementsAre("n"));
  EXPECT_EQ(Counts->Values.at("load_bytes_memory"), 64);
  // With n = 8 it is a number: i = 0, …, 7 with 32·K <= i² <= 32·K + 8 for K < 200, that is 0, 1
  // and 2 for K = 0, and 6 for K = 1; 2 flops each.
  const auto CountValues = evaluateCounts(totals(F, {}, {{"n", 8}}), {}, std::nullopt);
  ASSERT_TRUE(CountValues);
  EXPECT_THAT(CountValues->Unbound, ElementsAre());
  EXPECT_EQ(CountValues->Values.at("flops_f64"), 1 + 2 * 4);
}

TEST(EvaluateCounts, ALargeCalleeIsEvaluatedWithTheCallersNumbers) {
  // g(m) runs its block for i < m with 4·K·m <= i² <= 4·K·m + m; f calls it with n, and with each
  // j < n; its formula in m has thousands of parts.
  Function G = function("g", {}, {loop("i", N - 1, {block(Flops, 1, between(200, I))})});
  const Expr J = Expr::symbol("j");
  const Function F = function("f", {calling("g", {N})}, {loop("j", N - 1, {calling("g", {J})})});
  auto Want = [](long M) {
    long Result = 0;
    for (long K = 0; K != 200; ++K)
      for (long Value = 0; Value < M; ++Value)
        Result += Value * Value >= 4 * K * M && Value * Value <= 4 * K * M + M;
    return Result;
  };
  long Sum = Want(9);
  for (long M = 0; M != 9; ++M)
    Sum += Want(M);
  auto Find = [&](const std::string &, const Function &) { return &G; };
  const auto Counts =
      evaluateCounts(TotalsBuilder(Find, {{"n", 9}}, /*UseMeasured=*/true).of(F), {}, std::nullopt);
  ASSERT_TRUE(Counts);
  EXPECT_THAT(Counts->Unbound, ElementsAre());
  EXPECT_EQ(Counts->Values.at("flops_f64"), Sum);
  // Without, n is what is asked for, and no call.
  const auto CountValues =
      evaluateCounts(TotalsBuilder(Find, {}, /*UseMeasured=*/true).of(F), {}, std::nullopt);
  ASSERT_TRUE(CountValues);
  EXPECT_THAT(CountValues->Unbound, ElementsAre("n"));
  // Not even where nothing that large is kept.
  EXPECT_THAT(evaluateCounts(TotalsBuilder(Find).of(F), {}, std::nullopt)->Unbound,
              ElementsAre("n"));
}

TEST(EvaluateCounts, LargeFactorsAreNotMultipliedOut) {
  // i and j below 8, where i² and j² are 0 to 8, 32 to 40, 64 to 72, …: 0, 1, 2 and 6.
  const Expr J = Expr::symbol("j");
  const Function F =
      function("f", {},
               {loop("i", N - 1, {},
                     {loop("j", N - 1, {block(Flops, 1, between(30, J))}, {}, between(30, I))})});
  const auto Counts = evaluateCounts(totals(F, {}, {{"n", 8}}), {}, std::nullopt);
  ASSERT_TRUE(Counts);
  EXPECT_EQ(Counts->Values.at("flops_f64"), 4 * 4);
}

TEST(EvaluateCounts, ACallThatNeverRunsIsNotOpen) {
  const Function F = function("f", {calling("puts", {}, isNonNegative(N - 5))});
  for (long Size : {4, 5}) {
    const auto Counts = evaluateCounts(totals(F, {}, {{"n", Size}}), {}, std::nullopt);
    EXPECT_EQ(Counts->Unbound.size(), Size == 5 ? 1u : 0u);
  }
}

TEST(EvaluateCounts, MainMemoryTrafficIsABoundUntilGiven) {
  const CostClass Stack = of(CostClass::StoreBytes, Space::Stack);
  const CostClass Stored = of(CostClass::StoreBytes, Space::Memory);
  const Function F = function(
      "f", {block(Loaded, 16 * N), block(Stored, 8 * N), block(Stack, 4), block(Flops, 1)});
  const Totals Sum = totals(F, {}, {{"n", Expr(10)}});
  const auto Requested = evaluateCounts(Sum, {}, std::nullopt);
  EXPECT_EQ(Requested->Values.at("bytes_dram"), 240); // not the 4 of the stack
  EXPECT_EQ(Requested->KnownAs.at("bytes_dram"), Known::Bound);
  EXPECT_EQ(Requested->KnownAs.at("load_bytes_memory"), Known::Exact);
  const auto Given = evaluateCounts(Sum, {}, Rational(100));
  EXPECT_EQ(Given->Values.at("bytes_dram"), 100);
  EXPECT_EQ(Given->KnownAs.at("bytes_dram"), Known::Assumed);
}

/// 1 flop/s at 2 J and 4 bytes/s at 1 J, 3 W beside.
static Machine smallMachine() {
  Machine Result;
  Result.Timing.Throughputs["flops_f64"] = {{1, "s"}, std::nullopt, 0};
  Result.Timing.Throughputs["bytes_dram"] = {{4, "s"}, std::nullopt, 0};
  Result.Power.Energies["flops_f64"] = {{2, "s"}, std::nullopt};
  Result.Power.Energies["bytes_dram"] = {{1, "s"}, std::nullopt};
  Result.Power.Constant.MiscW = Quantity{3, "s"};
  return Result;
}

static Cost cost(long FlopCount, long Bytes, Known How) {
  CountValues Counts;
  Counts.Values = {{"flops_f64", FlopCount}, {"bytes_dram", Bytes}};
  Counts.KnownAs = {{"flops_f64", Known::Exact}, {"bytes_dram", How}};
  Counts.DramIsRequested = How == Known::Bound;
  const Machine M = smallMachine();
  return costOn(M, M.defaultSetting(), Counts);
}

static void expectInterval(const Interval &I, double Low, double Value, double High) {
  EXPECT_DOUBLE_EQ(I.Low, Low);
  EXPECT_DOUBLE_EQ(I.Value, Value);
  EXPECT_DOUBLE_EQ(I.High, High);
}

TEST(CostOn, CachesMayKeepAnyOfTheBytes) {
  // 10 flops: 10 s and 20 J. 80 bytes: 20 s and 80 J; none of them: 10 s, 50 J, 5 W;
  // 40 of them, where both roofs meet: 10 s, 20 + 40 + 30 J, 9 W.
  const Cost Memory = cost(10, 80, Known::Bound);
  expectInterval(Memory.TimeS, 10, 20, 20);
  expectInterval(Memory.EnergyJ, 50, 160, 160);
  expectInterval(Memory.PowerW, 5, 8, 9);
  EXPECT_EQ(Memory.Bound, "dram");
  EXPECT_DOUBLE_EQ(Memory.Intensity.at("dram"), 0.125);
  EXPECT_DOUBLE_EQ(Memory.BreakdownJ.at("bytes_dram"), 80);
  // 20 bytes stay under the roof of the flops: power only grows with them.
  const Cost Compute = cost(10, 20, Known::Bound);
  expectInterval(Compute.TimeS, 10, 10, 10);
  expectInterval(Compute.PowerW, 5, 7, 7);
  EXPECT_EQ(Compute.Bound, "flops_f64");
  // Bytes that were given are no bound.
  expectInterval(cost(10, 80, Known::Assumed).EnergyJ, 160, 160, 160);
  expectInterval(cost(10, 80, Known::Assumed).PowerW, 8, 8, 8);
}

TEST(CostOn, ASetTripCountDoesNotEndTheIntervalOfTheCaches) {
  // Requested bytes stay an upper bound, whatever the trip count rests on.
  Function F = function("f", {block(Flops, 10)},
                        {loop("i", Expr::symbol("trips@a.c:1:2") - 1, {block(Loaded, 8)})});
  const auto Counts =
      evaluateCounts(totals(F, {}, {{"trips@a.c:1:2", Expr(10)}}), {}, std::nullopt);
  const Machine M = smallMachine();
  const Cost Result = costOn(M, M.defaultSetting(), *Counts);
  expectInterval(Result.TimeS, 10, 20, 20);
}
