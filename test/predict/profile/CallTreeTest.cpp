//===- CallTreeTest.cpp - a run as a graph of calls -----------------------===//
//
// leaf(n) does 2·n flops; others call it. All sums are by hand.
//
//===----------------------------------------------------------------------===//

#include "predict/profile/CostShares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace ergon;

static const Expr N = Expr::symbol("n"), I = Expr::symbol("i"), J = Expr::symbol("j");

static Function function(const std::string &Name) {
  Function Result;
  Result.Name = Result.Demangled = Name;
  Result.Location = {"a.c", 1, 1};
  Result.Parameters = {{"n", "i64"}};
  Result.Body.Last = 0;
  Result.Body.Entries = 1;
  return Result;
}

static Loop loop(const std::string &Variable, const Expr &Last) {
  return {Variable, {"a.c", 2, 3}, isNonNegative(Last), Last, Known::Exact, {}, {}, {}};
}

static Block work(const Expr &Amount) {
  Block B{.Runs = 1};
  B.PerRun.add(of(CostClass::Flops, FloatType::F64), Amount);
  return B;
}

static Block call(const std::string &Callee, const Expr &Argument, const Expr &Runs = 1) {
  Block B{.Runs = Runs};
  Call Site;
  Site.Callee = Callee;
  Site.Arguments = {Argument};
  B.Calls = {Site};
  return B;
}

namespace {
struct Program {
  std::map<std::string, Function> Functions;
  FunctionLookup Find = [this](const std::string &Name, const Function &) -> const Function * {
    auto Found = Functions.find(Name);
    return Found == Functions.end() ? nullptr : &Found->second;
  };

  Program() {
    Function Leaf = function("leaf");
    Leaf.Body.Loops = {loop("i", N - 1)};
    Leaf.Body.Loops[0].Blocks = {work(2)};
    add(Leaf);
  }
  void add(const Function &F) { Functions.insert_or_assign(F.Name, F); }
  CallTree tree(const std::string &Entry, std::int64_t Size) {
    return callTree(Functions.at(Entry), Find, {{{"n", Expr(Size)}}});
  }
  Rational flops(const CallTree &Tree) {
    auto Values = countsOf(Tree).Values;
    return Values["flops_f64"];
  }
};
} // namespace

TEST(CallTree, EqualCallsAreOneNode) {
  Program P;
  Function F = function("f");
  F.Body.Blocks = {call("leaf", N), call("leaf", N), call("leaf", 3)};
  P.add(F);
  const CallTree Tree = P.tree("f", 10);
  EXPECT_EQ(Tree.Nodes.size(), 3U); // leaf(10), leaf(3), f
  EXPECT_EQ(Tree.visits()[0], Rational(2));
  EXPECT_EQ(P.flops(Tree), Rational(2 * 20 + 6));
}

TEST(CallTree, ArgumentsOfLoopsAreSummedInClosedForm) {
  Program P;
  Function F = function("f"); // for i < n: leaf(i)
  F.Body.Loops = {loop("i", N - 1)};
  F.Body.Loops[0].Blocks = {call("leaf", I)};
  P.add(F);
  const std::int64_t Many = 1'000'000'000;
  EXPECT_EQ(P.flops(P.tree("f", Many)), Rational(Many) * Rational(Many - 1));
  // Through one more function, in a loop over j <= i, in every iteration and in half of them.
  Function G = function("g");
  G.Body.Loops = {loop("i", N - 1)};
  G.Body.Loops[0].Loops = {loop("j", I)};
  G.Body.Loops[0].Loops[0].Blocks = {call("f", J), call("leaf", J, Expr(Rational(1, 2)))};
  P.add(G);
  Rational Sum;
  for (int A = 0; A != 20; ++A)
    for (int B = 0; B <= A; ++B) {
      Sum += B; // half of leaf(b)
      for (int C = 0; C < B; ++C)
        Sum += 2 * C;
    }
  const CallTree Tree = P.tree("g", 20);
  EXPECT_EQ(P.flops(Tree), Sum);
  EXPECT_TRUE(Tree.NotEvaluated.empty());
}

TEST(CallTree, PathsDoNotMultiplyNodes) {
  Program P; // 2^40 paths
  for (int Depth = 0; Depth != 40; ++Depth) {
    Function F = function("f" + std::to_string(Depth));
    const std::string Next = Depth == 39 ? "leaf" : "f" + std::to_string(Depth + 1);
    F.Body.Loops = {loop("i", 2)};
    F.Body.Loops[0].Blocks = {call(Next, N + I), call(Next, N + I)};
    P.add(F);
  }
  const CallTree Plain = P.tree("f39", 1);
  EXPECT_EQ(P.flops(Plain), Rational(2 * 2 * (1 + 2 + 3)));
  Program Q;
  for (int Depth = 0; Depth != 40; ++Depth) {
    Function F = function("f" + std::to_string(Depth));
    const std::string Next = Depth == 39 ? "leaf" : "f" + std::to_string(Depth + 1);
    F.Body.Blocks = {call(Next, N), call(Next, N)};
    Q.add(F);
  }
  const CallTree Tree = Q.tree("f0", 1);
  EXPECT_EQ(Tree.Nodes.size(), 41U);
  EXPECT_EQ(Q.flops(Tree), twoTo(40) * Rational(2));
}

TEST(CallTree, RecursionAndUnknownCallsAreNamed) {
  Program P;
  Function F = function("f");
  F.Body.Blocks = {work(7), call("f", N - 1), call("unknown", N)};
  P.add(F);
  const CallTree Tree = P.tree("f", 10);
  EXPECT_EQ(P.flops(Tree), Rational(7));
  EXPECT_THAT(Tree.Nodes.back().OpenCalls,
              testing::ElementsAre(testing::Pair("call:unknown", Rational(1)),
                                   testing::Pair("recursion:f", Rational(1))));
}
