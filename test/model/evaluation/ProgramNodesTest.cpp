//===- ProgramNodesTest.cpp - a run as a graph of calls -------------------===//
//
// leaf(n) does 2·n flops; others call it. All sums are by hand.
//
//===----------------------------------------------------------------------===//

#include "model/evaluation/ProgramNumbers.h"
#include "test/support/SmallPrograms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace ergon;
using namespace ergon::small_programs;

namespace {
struct Program {
  std::map<std::string, Function> Functions;
  FunctionLookup Find = [this](const std::string &Name, const Function &) -> const Function * {
    auto Found = Functions.find(Name);
    return Found == Functions.end() ? nullptr : &Found->second;
  };

  Program() { add(function("leaf", {}, {loop("i", N, {work(2)})})); }
  void add(const Function &F) { Functions.insert_or_assign(F.Name, F); }
  ProgramNumbers run(const std::string &Entry, std::int64_t Size) {
    ProgramNumbers Result(Find, ProgramNumbers::Recursion::LeftOut);
    Result.bind({{"n", Expr(Size)}});
    Result.evaluate(Functions.at(Entry), [](const Unknown &) { return Rational(1); });
    return Result;
  }
  static Rational flops(const ProgramNumbers &Run) {
    return *Run.totals().Values[Flops].constant();
  }
};
} // namespace

TEST(ProgramNodes, EqualCallsAreOneNode) {
  Program P;
  P.add(function("f", {calls("leaf", N), calls("leaf", N), calls("leaf", 3)}));
  const ProgramNumbers Run = P.run("f", 10);
  EXPECT_EQ(Run.nodes().size(), 3U); // leaf(10), leaf(3), f
  EXPECT_EQ(Run.visits()[0].Value, Rational(2));
  EXPECT_EQ(P.flops(Run), Rational(2 * 20 + 6));
}

TEST(ProgramNodes, ArgumentsOfLoopsAreSummedInClosedForm) {
  Program P;
  P.add(function("f", {}, {loop("i", N, {calls("leaf", I)})}));
  const std::int64_t Many = 1'000'000'000;
  EXPECT_EQ(P.flops(P.run("f", Many)), Rational(Many) * Rational(Many - 1));
  // Through one more function, in a loop over j <= i, in every iteration and in half of them.
  const Loop Inner = loop("j", I + 1, {calls("f", J), calls("leaf", J, Expr(Rational(1, 2)))});
  P.add(function("g", {}, {loop("i", N, {}, {Inner})}));
  Rational Sum;
  for (int A = 0; A != 20; ++A)
    for (int B = 0; B <= A; ++B) {
      Sum += B; // half of leaf(b)
      for (int C = 0; C < B; ++C)
        Sum += 2 * C;
    }
  const ProgramNumbers Run = P.run("g", 20);
  EXPECT_EQ(P.flops(Run), Sum);
  const auto All = Run.totals();
  EXPECT_TRUE(All.OpenCalls.empty());
  EXPECT_EQ(All.KnownAs.at(Flops), Known::Exact);
}

TEST(ProgramNodes, PathsDoNotMultiplyNodes) {
  Program P; // 2^40 paths
  for (int Depth = 0; Depth != 40; ++Depth) {
    const std::string Next = Depth == 39 ? "leaf" : "f" + std::to_string(Depth + 1);
    const Loop Twice = loop("i", 3, {calls(Next, N + I), calls(Next, N + I)});
    P.add(function("f" + std::to_string(Depth), {}, {Twice}));
  }
  const ProgramNumbers Plain = P.run("f39", 1);
  EXPECT_EQ(P.flops(Plain), Rational(2 * 2 * (1 + 2 + 3)));
  Program Q;
  for (int Depth = 0; Depth != 40; ++Depth) {
    const std::string Next = Depth == 39 ? "leaf" : "f" + std::to_string(Depth + 1);
    Q.add(function("f" + std::to_string(Depth), {calls(Next, N), calls(Next, N)}));
  }
  const ProgramNumbers Run = Q.run("f0", 1);
  EXPECT_EQ(Run.nodes().size(), 41U);
  EXPECT_EQ(Q.flops(Run), twoTo(40) * Rational(2));
}

TEST(ProgramNodes, RecursionAndUnknownCallsAreNamed) {
  Program P;
  P.add(function("f", {work(7), calls("f", N - 1), calls("unknown", N)}));
  const ProgramNumbers Run = P.run("f", 10);
  EXPECT_EQ(P.flops(Run), Rational(7));
  EXPECT_THAT(Run.totals().OpenCalls, testing::ElementsAre(testing::Pair("call:unknown", Expr(1)),
                                                           testing::Pair("recursion:f", Expr(1))));
}

// A recursion whose argument changes with a loop has no formula: its iterations are evaluated.
TEST(ProgramNodes, RecursionInALoopIsEvaluatedIterationByIteration) {
  Program P;
  P.add(function("f", {work(1)}, {loop("i", N, {calls("f", I)})})); // 1, and f(i) for i < n
  ProgramNumbers Run(P.Find);
  Run.bind({{"n", Expr(8)}});
  Run.evaluate(P.Functions.at("f"), [](const Unknown &) { return Rational(1); });
  EXPECT_EQ(P.flops(Run), twoTo(8));
}
