//===- ProgramLaunchesTest.cpp - kernels in the totals of host code -------===//

#include "model/energy/Cost.h"
#include "model/program/Program.h"

#include <gmock/gmock.h>

#include <algorithm>

using namespace ergon;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

static const CostClass Flops = of(CostClass::Flops, FloatType::F32);
static const Expr N = Expr::symbol("n"), M = Expr::symbol("m"), I = Expr::symbol("i");
static const Expr Thread =
    Expr::symbol("blockIdx.x") * Expr::symbol("block.x") + Expr::symbol("threadIdx.x");

static Function function(const std::string &Name, std::vector<std::string> Parameters,
                         std::vector<Block> Blocks, std::vector<Loop> Loops = {}) {
  Function Result;
  Result.Name = Name;
  Result.Demangled = Name + "()";
  for (std::string &Parameter : Parameters)
    Result.Parameters.push_back({std::move(Parameter), "int"});
  Result.Body.Entries = 1;
  Result.Body.Blocks = std::move(Blocks);
  Result.Body.Loops = std::move(Loops);
  return Result;
}

/// void k(int n): if (thread < n) 2 flops.
static Function kernel(const Expr &Guard = isNonNegative(N - 1 - Thread)) {
  Block B;
  B.Runs = Guard;
  B.PerRun.add(Flops, 2);
  Function Result = function("k", {"n"}, {B});
  Result.IsKernel = true;
  return Result;
}

static Block launching(std::vector<std::optional<Expr>> Arguments, const Expr &GridX,
                       const Expr &BlockX, bool ByStub = false) {
  Block Result;
  Result.Runs = 1;
  if (!ByStub)
    Result.PerRun.add(CostClass::Launches, 1);
  Result.Calls = {{ByStub ? "stub" : "k",
                   !ByStub,
                   std::move(Arguments),
                   {"a.cu", 3, 4},
                   LaunchShape{{GridX, 1, 1}, {BlockX, 1, 1}, 0}}};
  return Result;
}

static FunctionLookup among(std::vector<const Function *> Known) {
  return [Known](const std::string &Name, const Function &) -> const Function * {
    auto Found = std::ranges::find(Known, Name, [](const Function *F) { return F->Name; });
    return Found == Known.end() ? nullptr : *Found;
  };
}

static Rational at(const Expr &Value, long Size) {
  return *Value.evaluate([&](const std::string &) { return Rational(Size); });
}

TEST(Launch, CoversTheKernelsThreads) {
  const Function Kernel = kernel();
  // k<<<(n + 31) / 32, 32>>>(n - 3): threads cover n, n - 3 of them work.
  const Function F = function("f", {"n"}, {launching({N - 3}, ceilDiv(N, 32), 32)});
  Totals Sum = TotalsBuilder(among({&Kernel})).of(F);
  for (long Size : {1, 3, 4, 32, 33, 100})
    EXPECT_EQ(at(Sum.Values[Flops], Size), 2 * std::max(0L, Size - 3)) << Size;
  ASSERT_TRUE(Sum.Kernels.contains("k()"));
  EXPECT_EQ(at(Sum.Kernels.at("k()").Launches, 7), 1);
  EXPECT_EQ(at(Sum.Kernels.at("k()").Values[Flops], 7), 8);
  EXPECT_TRUE(Sum.OpenCalls.empty());
  // With a value given before anything is summed.
  Sum = TotalsBuilder(among({&Kernel}), {{"n", 100}}).of(F);
  EXPECT_EQ(at(Sum.Values[Flops], 0), 194);
}

TEST(Launch, ThroughTheStubAndALoop) {
  // The stub's launch is shaped by whoever calls it.
  const Function Kernel = kernel();
  Block InStub = launching({M}, Expr::symbol("grid.x"), Expr::symbol("block.x"));
  const Function Stub = function("stub", {"m"}, {InStub});
  Loop Steps{"i", {}, 1, N - 1, Known::Exact, {launching({10 * I}, I + 1, 4, true)}, {}};
  const Function F = function("f", {"n"}, {}, {Steps});
  // for (i < n) k<<<i + 1, 4>>>(10·i): min(4·(i + 1), 10·i) threads work, which is 0 + 8 + 12 for n
  // = 3.
  for (const Substitution &Bound : {Substitution{}, Substitution{{"n", 3}}}) {
    Totals Sum = TotalsBuilder(among({&Kernel, &Stub}), Bound).of(F);
    EXPECT_EQ(at(Sum.Values[Flops], 3), 40);
    EXPECT_EQ(at(Sum.Values[CostClass::Launches], 3), 3);
    EXPECT_EQ(at(Sum.Kernels.at("k()").Launches, 3), 3);
    EXPECT_EQ(Sum.Kernels.size(), 1u);
  }
}

TEST(Launch, AFunctionThatLaunchesIsCalled) {
  const Function Kernel = kernel();
  const Function Inner = function("g", {"m"}, {launching({M}, M, 1)});
  Block Calls;
  Calls.Runs = 2;
  Calls.PerRun.add(Flops, 1); // the host's own
  Calls.Calls = {{"g", false, {2 * N}, {}}};
  const Function F = function("f", {"n"}, {Calls});
  Totals Sum = TotalsBuilder(among({&Kernel, &Inner})).of(F);
  EXPECT_EQ(at(Sum.Values[Flops], 5), 2 * (2 * 10) + 2);
  EXPECT_EQ(at(Sum.Kernels.at("k()").Values[Flops], 5), 40);
  EXPECT_EQ(at(Sum.Kernels.at("k()").Launches, 5), 2);
}

TEST(Launch, UnknownShapesAndArgumentsHaveNames) {
  const Function Kernel = kernel();
  const Expr Grid = Expr::symbol("grid.x@a.cu:3:4");
  const Function F = function("f", {"n"}, {launching({std::nullopt}, Grid, 32)});
  Totals Sum = TotalsBuilder(among({&Kernel})).of(F);
  std::set<std::string> Symbols;
  Sum.collectSymbols(Symbols);
  EXPECT_THAT(Symbols, UnorderedElementsAre("grid.x@a.cu:3:4", "value@a.cu:3:4:n"));
  EXPECT_EQ(Sum.unknownsOf(Flops), Symbols);
}

TEST(Launch, ALargeKernelIsEvaluatedWithTheLaunchsNumbers) {
  // Thread t works, two flops each, for each K < 200 with 4·K·n <= t² <= 4·K·n + n.
  Expr Guard;
  for (int K = 0; K != 200; ++K)
    Guard +=
        isNonNegative(Thread * Thread - 4 * K * N) * isNonNegative(4 * K * N + N - Thread * Thread);
  const Function Kernel = kernel(Guard);
  // k<<<n, 4>>>(n + 1), and k<<<i + 1, 4>>>(i) for i < n.
  Loop Steps{"i", {}, 1, N - 1, Known::Exact, {launching({I}, I + 1, 4)}, {}};
  const Function F = function("f", {"n"}, {launching({N + 1}, N, 4)}, {Steps});
  auto Works = [](long Threads, long Size) {
    long Result = 0;
    for (long T = 0; T != Threads; ++T)
      for (long K = 0; K != 200; ++K)
        Result += T * T >= 4 * K * Size && T * T <= 4 * K * Size + Size;
    return Result;
  };
  long Flop = 2 * Works(4 * 5, 6);
  for (long Step = 0; Step != 5; ++Step)
    Flop += 2 * Works(4 * (Step + 1), Step);
  const Totals Sum = TotalsBuilder(among({&Kernel}), {{"n", 5}}, /*UseMeasured=*/true).of(F);
  EXPECT_TRUE(Sum.OpenCalls.empty());
  auto Counts = evaluateCounts(Sum, {}, std::nullopt);
  ASSERT_TRUE(Counts);
  EXPECT_THAT(Counts->Unbound, ElementsAre());
  EXPECT_EQ(Counts->Values.at("flops_f32"), Flop);
  ASSERT_EQ(Counts->Parts.size(), 2u);
  EXPECT_EQ(Counts->Parts[1].Launches, Rational(6));
  EXPECT_EQ(Counts->Parts[1].Values.at("flops_f32"), Flop);
  // Without n that is what is needed, whatever is kept of the formula.
  for (bool IsForValues : {false, true}) {
    Counts = evaluateCounts(TotalsBuilder(among({&Kernel}), {}, IsForValues).of(F), {}, {});
    ASSERT_TRUE(Counts);
    EXPECT_THAT(Counts->Unbound, ElementsAre("n"));
  }
}

// An estimate says that the loop never runs; the program's code, that it launches four blocks
// there. Its size in the other direction depends on that estimate too, and is not known.
TEST(Launch, WhatIsKnownToBeLaunchedIsFirstWhereAnEstimateIsZero) {
  Function Kernel = kernel();
  Loop Never;
  Never.Variable = "i";
  Never.Entries = 1;
  Never.Last = Expr::symbol("trips") - 1;
  Never.Blocks = {launching({N}, 7, 32)};
  Never.Blocks[0].Calls[0].Shape->Grid[1] = Expr::symbol("trips");
  const Function F = function("main", {"n"}, {}, {Never});
  TotalsBuilder Builder(among({&Kernel}), {{"trips", 0}, {"n", 100}});
  EXPECT_THAT(Builder.firstLaunches(F), testing::IsEmpty());

  code::LaunchValues Known;
  Known.Grid[0] = 4;
  const std::vector<FirstLaunch> First =
      Builder.firstLaunches(F, /*WithCounts=*/false, {{"k", Known}});
  ASSERT_EQ(First.size(), 1u);
  EXPECT_EQ(First[0].Shape.Grid[0], Expr(4));
  EXPECT_FALSE(First[0].Shape.Grid[1].constant());
  EXPECT_EQ(First[0].Shape.Block[0], Expr(32));
}

TEST(Launch, StaysOpenWithoutARecordOrAShape) {
  const Function Kernel = kernel();
  Function F = function("f", {"n"}, {launching({N}, 1, 1)});
  EXPECT_EQ(TotalsBuilder(among({})).of(F).OpenCalls.count("launch:k"), 1u);
  F.Body.Blocks[0].Calls[0].Shape.reset();
  EXPECT_EQ(TotalsBuilder(among({&Kernel})).of(F).OpenCalls.count("launch:k"), 1u);
  F.Body.Blocks[0].Calls[0].Callee.clear();
  EXPECT_EQ(TotalsBuilder(among({&Kernel})).of(F).OpenCalls.count("launch@a.cu:3:4"), 1u);
}

// Two kernels, one bound by flops and one by bytes, and a host that works too: the two run one
// after the other, and what the host does is not the device's to pay, but for copies.
TEST(Launch, CostsArePerKernel) {
  Machine M;
  M.Timing.Throughputs["flops_f32"] = {{1, "s"}, std::nullopt, 0};
  M.Timing.Throughputs["bytes_dram"] = {{4, "s"}, std::nullopt, 0};
  M.Timing.Throughputs["h2d_bytes"] = {{1, "s"}, std::nullopt, 0};
  M.Power.Energies["flops_f32"] = {{2, "s"}, std::nullopt};
  M.Power.Energies["bytes_dram"] = {{1, "s"}, std::nullopt};
  M.Power.Energies["h2d_bytes"] = {{1, "s"}, std::nullopt};
  M.Power.Constant.MiscW = Quantity{3, "s"};
  Block B;
  B.Runs = 1;
  B.PerRun.add(of(CostClass::LoadBytes, Space::Global), 40);
  Function Bytes = function("b", {}, {B}), Work = kernel(1);
  Bytes.IsKernel = true;
  Block BytesResult = launching({}, 1, 2), Host;
  BytesResult.Calls[0].Callee = "b";
  Host.Runs = 1;
  Host.PerRun.add(Flops, 1000);
  Host.PerRun.add(of(CostClass::StoreBytes, Space::Memory), 1000);
  Host.PerRun.add(CostClass::H2DBytes, 7);
  const Function F = function("f", {}, {Host, BytesResult, launching({1}, 5, 3)});
  auto Counts = evaluateCounts(TotalsBuilder(among({&Bytes, &Work})).of(F), {}, std::nullopt);
  ASSERT_TRUE(Counts);
  ASSERT_EQ(Counts->Parts.size(), 3u);
  EXPECT_EQ(Counts->Parts[0].Name, "host");
  EXPECT_FALSE(Counts->Parts[0].Launches);
  EXPECT_EQ(Counts->Parts[0].Values.at("flops_f32"), 1000);
  EXPECT_EQ(Counts->Parts[0].Values.at("bytes_dram"), 1000);
  EXPECT_EQ(Counts->Parts[1].Name, "b()");
  EXPECT_EQ(*Counts->Parts[1].Launches, 1);
  EXPECT_EQ(Counts->Parts[1].Values.at("bytes_dram"), 80);
  EXPECT_EQ(Counts->Parts[2].Values.at("flops_f32"), 30);
  EXPECT_EQ(Counts->Values.at("flops_f32"), 1030);
  // 80 bytes take 20 s, 30 flops 30 s, 7 bytes to the device 7 s. Dynamic energy 80 + 60 + 7,
  // constant 3·57.
  const Cost Result = costOn(M, {}, *Counts);
  EXPECT_DOUBLE_EQ(Result.TimeS.Value, 57);
  EXPECT_DOUBLE_EQ(Result.TimeS.Low, 37); // the caches may keep all 80 bytes
  EXPECT_DOUBLE_EQ(Result.EnergyJ.Value, 147 + 171);
  EXPECT_DOUBLE_EQ(Result.PowerW.Value, 318.0 / 57);
  EXPECT_EQ(Result.Bound, "flops_f32");
  EXPECT_DOUBLE_EQ(Result.Intensity.at("dram"), 30.0 / 80);
  EXPECT_THAT(Result.NotCovered, ElementsAre("host"));
  // 8 bytes are measured for the two kernels together: all are the first one's.
  Counts = evaluateCounts(TotalsBuilder(among({&Bytes, &Work})).of(F), {}, Rational(8));
  ASSERT_TRUE(Counts);
  EXPECT_DOUBLE_EQ(costOn(M, {}, *Counts).TimeS.Value, 2 + 30 + 7);
}
