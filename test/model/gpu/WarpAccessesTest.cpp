//===- WarpAccessesTest.cpp - requests of warps ---------------------------===//
//
// Formulas over boxes against each point of the box; requests of launches against
// each lane of each warp, and against figures of NVIDIA's guides worked out by hand.
//
//===----------------------------------------------------------------------===//

#include "model/gpu/WarpAccesses.h"
#include "test/support/AccessPrograms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

using namespace ergon;
using accesses::formula;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// A warp of 8×4 threads over a box of blockIdx.x, blockIdx.y and an iteration number.
WarpBox box(IndexRange X, IndexRange Y, IndexRange I) {
  WarpBox Result;
  Result.Active = 0x0ff0fff7;
  for (unsigned L = 0; L != LanesOfWarp; ++L) {
    Result.Threads[0][L] = L % 8;
    Result.Threads[1][L] = L / 8;
  }
  Result.Ranges[0] = X;
  Result.Ranges[1] = Y;
  Result.Ranges[3] = I;
  Result.Variables = 4;
  return Result;
}

/// Evaluates over the box, or over the parts that it is cut into, and compares each point.
void expectPoints(const std::string &Text, const WarpFormula &Formula, const WarpBox &Box,
                  unsigned &Parts) {
  auto Value = Formula.over(Box);
  if (!Value) {
    BoxCut Cut = Value.error();
    ASSERT_GT(Cut.Position, Box.Ranges[Cut.Variable].First) << Text;
    ASSERT_LE(Cut.Position, Box.Ranges[Cut.Variable].Last) << Text;
    WarpBox Low = Box, High = Box;
    Low.Ranges[Cut.Variable].Last = Cut.Position - 1;
    High.Ranges[Cut.Variable].First = Cut.Position;
    expectPoints(Text, Formula, Low, Parts);
    return expectPoints(Text, Formula, High, Parts);
  }
  ++Parts;
  for (auto X = Box.Ranges[0].First; X <= Box.Ranges[0].Last; ++X)
    for (auto Y = Box.Ranges[1].First; Y <= Box.Ranges[1].Last; ++Y)
      for (auto I = Box.Ranges[3].First; I <= Box.Ranges[3].Last; ++I)
        for (unsigned L = 0; L != LanesOfWarp; ++L) {
          if (!(Box.Active >> L & 1))
            continue;
          std::map<std::string, Rational> Index{{"blockIdx.x", X},
                                                {"blockIdx.y", Y},
                                                {"i", I},
                                                {"threadIdx.x", Box.Threads[0][L]},
                                                {"threadIdx.y", Box.Threads[1][L]}};
          auto Right = formula(Text).evaluate(
              [&](const std::string &Name) { return std::optional(Index.at(Name)); });
          ASSERT_TRUE(Right) << Text;
          ASSERT_EQ(floorOf(*Right),
                    Rational(Value->Lane[L] + Value->Steps[0] * X * !Box.Ranges[0].isPoint() +
                             Value->Steps[1] * Y * !Box.Ranges[1].isPoint() +
                             Value->Steps[3] * I * !Box.Ranges[3].isPoint()))
              << Text << " at " << X << " " << Y << " " << I << " lane " << L;
        }
}

/// How many parts the box was cut into.
unsigned partsOf(const std::string &Text, IndexRange X = {0, 20}, IndexRange Y = {0, 3},
                 IndexRange I = {0, 6}) {
  auto Formula = WarpFormula::compile(formula(Text), {"i"});
  EXPECT_TRUE(Formula) << Text;
  unsigned Parts = 0;
  if (Formula)
    expectPoints(Text, *Formula, box(X, Y, I), Parts);
  return Parts;
}

} // namespace

TEST(WarpFormula, OneFormWhereItIsAffine) {
  EXPECT_EQ(partsOf("7"), 1u);
  EXPECT_EQ(partsOf("4*threadIdx.x-12*threadIdx.y+128*blockIdx.x+5*i"), 1u);
  EXPECT_EQ(partsOf("floor(threadIdx.x,3)*8+256*blockIdx.x*7"), 1u);
  EXPECT_EQ(partsOf("floor(64*blockIdx.x+threadIdx.x+8*i,8)"), 1u);
  EXPECT_EQ(partsOf("max(3,threadIdx.x)+min(1000,blockIdx.x)"), 1u);
  EXPECT_EQ(partsOf("pow(2,threadIdx.x)+log(2,1+threadIdx.x)"), 1u);
  EXPECT_EQ(partsOf("[blockIdx.x+1]+[-1-i]"), 1u);
}

TEST(WarpFormula, BoxesAreCutWhereItIsNot) {
  EXPECT_GT(partsOf("floor(8*blockIdx.x+threadIdx.x,20)"), 1u);
  EXPECT_GT(partsOf("max(5*blockIdx.x,30-threadIdx.x-i)"), 1u);
  EXPECT_GT(partsOf("threadIdx.x*pow(2,i)"), 1u);
  EXPECT_GT(partsOf("blockIdx.x*i-threadIdx.y*i"), 1u);
  EXPECT_GT(partsOf("floor(threadIdx.x+i,2*pow(2,i))*pow(2,i)"), 1u);
  EXPECT_GT(partsOf("1/2*i*i-1/2*i+1/2*blockIdx.x"), 1u);
  EXPECT_GT(partsOf("floor(100-3*i,1+blockIdx.x)"), 1u);
  EXPECT_GT(partsOf("[10*blockIdx.y-threadIdx.x-blockIdx.x]*threadIdx.y"), 1u);
}

TEST(WarpFormula, FewPartsAtABorder) {
  // Of a million blocks those before the border, those behind it, and the one that it is in.
  auto Formula = WarpFormula::compile(formula("[12345670-128*blockIdx.x-threadIdx.x]"), {"i"});
  unsigned Evaluations = 0;
  auto Cut = [&](auto Again, WarpBox Part) -> void {
    ++Evaluations;
    if (auto Value = Formula->over(Part); !Value) {
      WarpBox Low = Part, High = Part;
      Low.Ranges[Value.error().Variable].Last = Value.error().Position - 1;
      High.Ranges[Value.error().Variable].First = Value.error().Position;
      Again(Again, Low);
      Again(Again, High);
    }
  };
  Cut(Cut, box({0, 999'999}, {0, 0}, {0, 0}));
  EXPECT_LE(Evaluations, 5u);
}

TEST(WarpFormula, WhatHasNoValueIsRefused) {
  EXPECT_FALSE(WarpFormula::compile(formula("n*i"), {"i"}));
  EXPECT_FALSE(WarpFormula::compile(formula("1000000000000000000000*i"), {"i"}));
  EXPECT_FALSE(WarpFormula::compile(formula("i1"), std::vector<std::string>(10, "i1")));
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

namespace {

/// A program of one access that runs where \p Runs is 1.
AccessProgram oneAccess(Space Where, unsigned Bytes, std::optional<std::string> Offset,
                        const std::string &Runs = "1", Access::Kind What = Access::Kind::Load) {
  AccessProgram Result;
  Result.Objects.push_back({.Name = "x", .Where = Where});
  MemoryAccess Access{.What = What, .Object = 0, .Bytes = Bytes, .Offset = {}};
  if (Offset)
    Access.Offset = formula(*Offset);
  Result.Body.Items.push_back({formula(Runs), std::move(Access)});
  return Result;
}

LaunchRequests counted(const AccessProgram &Program, const LaunchSize &Launch,
                       const Placement &Placed = {}) {
  return requestsOf(Program, Launch, Placed);
}

/// Of one warp.
WarpRequests ofWarp(Space Where, unsigned Bytes, const std::string &Offset,
                    Access::Kind What = Access::Kind::Load) {
  return counted(oneAccess(Where, Bytes, Offset, "1", What), {{1, 1, 1}, {32, 1, 1}}).Accesses[0];
}

} // namespace

// CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory": neighbours in order take 4
// transactions of 32 bytes, one that is shifted by a word 5, a stride of two words 8.
TEST(WarpRequests, GlobalMemoryAsTheGuideHasIt) {
  EXPECT_EQ(ofWarp(Space::Global, 4, "4*threadIdx.x").Sectors.Low, 4);
  EXPECT_EQ(ofWarp(Space::Global, 4, "4+4*threadIdx.x").Sectors.Low, 5);
  EXPECT_EQ(ofWarp(Space::Global, 4, "8*threadIdx.x").Sectors.Low, 8);
  EXPECT_EQ(ofWarp(Space::Global, 4, "128*threadIdx.x").Sectors.Low, 32);
  EXPECT_EQ(ofWarp(Space::Global, 4, "0").Sectors.Low, 1);
  EXPECT_EQ(ofWarp(Space::Global, 16, "16*threadIdx.x").Sectors.Low, 16);
  EXPECT_EQ(ofWarp(Space::Global, 1, "threadIdx.x").Sectors.Low, 1);
  // One of 8 bytes that no multiple of 8 begins at lies in two sectors.
  EXPECT_EQ(ofWarp(Space::Global, 8, "28+32*threadIdx.x").Sectors.Low, 33);
  EXPECT_EQ(ofWarp(Space::Global, 4, "-4*threadIdx.x").Lines.Low, 2);
}

// CUDA C++ Programming Guide, figures "Strided Shared Memory Accesses": strides of one and three
// words are free of conflicts, of two is a two-way conflict.
TEST(WarpRequests, SharedMemoryAsTheGuideHasIt) {
  EXPECT_EQ(ofWarp(Space::Shared, 4, "4*threadIdx.x").Passes.Low, 1);
  EXPECT_EQ(ofWarp(Space::Shared, 4, "8*threadIdx.x").Passes.Low, 2);
  EXPECT_EQ(ofWarp(Space::Shared, 4, "12*threadIdx.x").Passes.Low, 1);
  EXPECT_EQ(ofWarp(Space::Shared, 4, "128*threadIdx.x").Passes.Low, 32);
  EXPECT_EQ(ofWarp(Space::Shared, 4, "132*threadIdx.x").Passes.Low, 1);
  EXPECT_EQ(ofWarp(Space::Shared, 4, "100").Passes.Low, 1); // all the same word
  EXPECT_EQ(ofWarp(Space::Shared, 1, "threadIdx.x").Passes.Low, 1);
  EXPECT_EQ(ofWarp(Space::Shared, 8, "8*threadIdx.x").Passes.Low, 2);
  EXPECT_EQ(ofWarp(Space::Shared, 8, "8*threadIdx.x").conflicts().Low, 0);
  EXPECT_EQ(ofWarp(Space::Shared, 8, "16*threadIdx.x").conflicts().Low, 2);
  EXPECT_EQ(ofWarp(Space::Shared, 16, "16*threadIdx.x").Passes.Low, 4);
  // Atomics on one word are not one.
  EXPECT_EQ(ofWarp(Space::Shared, 4, "0", Access::Kind::Atomic).conflicts().Low, 31);
}

TEST(WarpRequests, OtherSpaces) {
  EXPECT_EQ(ofWarp(Space::Constant, 4, "64").Passes.Low, 1);
  EXPECT_EQ(ofWarp(Space::Constant, 4, "4*floor(threadIdx.x,4)").Passes.Low, 8);
  // Words of local memory lie side by side, whatever the offset.
  EXPECT_EQ(ofWarp(Space::Local, 4, "40").Sectors.Low, 4);
  EXPECT_EQ(ofWarp(Space::Local, 8, "40").Sectors.Low, 8);
  EXPECT_EQ(ofWarp(Space::Local, 4, "4*threadIdx.x").Sectors.Low, 32);
}

TEST(WarpRequests, BlocksThatNoWarpDivides) {
  // 3 blocks of 10×5 threads: a warp and a half each; rows are 80 bytes apart.
  LaunchRequests Found =
      counted(oneAccess(Space::Global, 4, "4*threadIdx.x+80*threadIdx.y"), {{3, 1, 1}, {10, 5, 1}});
  // The first warp has three rows, [0,40) [80,120) [160,200) and 2 threads, [240,248): 2+2+2
  // sectors and 1; the second [248,280) and [320,360): 2 + 2.
  EXPECT_EQ(Found.Accesses[0].Requests, 6);
  EXPECT_EQ(Found.Accesses[0].Threads, 150);
  EXPECT_EQ(Found.Accesses[0].Sectors.Low, 3 * (7 + 4));
  EXPECT_TRUE(Found.IsComplete);
}

TEST(WarpRequests, ObjectsLieWhereTheyAreSaidTo) {
  AccessProgram Program = oneAccess(Space::Global, 4, "4*threadIdx.x");
  EXPECT_EQ(counted(Program, {{1, 1, 1}, {32, 1, 1}}, {4}).Accesses[0].Sectors.Low, 5);
  EXPECT_THAT(counted(Program, {{1, 1, 1}, {32, 1, 1}}).Assumptions,
              ElementsAre(HasSubstr("line of 128 bytes")));
}

TEST(WarpRequests, MillionsOfBlocksAreExact) {
  // 2^31 - 1 blocks less one of 128 threads; a guard in the midst of a warp.
  std::int64_t N = 274'877'906'000;
  LaunchRequests Found =
      counted(oneAccess(Space::Global, 4, "4*threadIdx.x+512*blockIdx.x",
                        "[" + std::to_string(N - 1) + "-128*blockIdx.x-threadIdx.x]"),
              {{2'147'483'647, 1, 1}, {128, 1, 1}});
  EXPECT_TRUE(Found.IsComplete);
  EXPECT_EQ(Found.Accesses[0].Threads, double(N));
  EXPECT_EQ(Found.Accesses[0].Requests, double((N + 31) / 32));
  EXPECT_EQ(Found.Accesses[0].Sectors.Low, double((N + 7) / 8));
}

TEST(WarpRequests, UnknownAddressesHaveBounds) {
  LaunchRequests Found = counted(oneAccess(Space::Global, 4, std::nullopt, "[39-threadIdx.x]"),
                                 {{2, 1, 1}, {64, 1, 1}});
  const WarpRequests &Requests = Found.Accesses[0];
  EXPECT_EQ(Requests.Requests, 4);
  EXPECT_EQ(Requests.Sectors.Low, 4);
  EXPECT_EQ(Requests.Sectors.High, 2 * (32 + 8));
  EXPECT_THAT(Found.Assumptions, ElementsAre(HasSubstr("any places"), HasSubstr("line of")));
  EXPECT_EQ(describe(Requests, Space::Global), "1 to 20 sectors");
  // An object of 100 bytes has no more than 4 sectors.
  AccessProgram Small = oneAccess(Space::Global, 4, std::nullopt);
  Small.Objects[0].Bytes = Expr(100);
  EXPECT_EQ(counted(Small, {{1, 1, 1}, {32, 1, 1}}).Accesses[0].Sectors.High, 4);
  EXPECT_EQ(counted(oneAccess(Space::Shared, 4, std::nullopt), {{1, 1, 1}, {32, 1, 1}})
                .Accesses[0]
                .Passes.High,
            32);
}

TEST(WarpRequests, NothingRunsInAnEmptyLaunch) {
  AccessProgram Program = oneAccess(Space::Global, 4, "4*threadIdx.x");
  EXPECT_EQ(counted(Program, {{0, 1, 1}, {32, 1, 1}}).Accesses[0].Requests, 0);
  EXPECT_EQ(counted(Program, {{1, 1, 1}, {0, 1, 1}}).Accesses[0].Requests, 0);
}

TEST(WarpRequests, WhatRunsMustBeKnown) {
  auto Found = requestsOf(oneAccess(Space::Global, 4, "0", "`taken@a.cu:3:5`*[9-threadIdx.x]"), {});
  EXPECT_EQ(Found.Accesses[0].Requests, 0);
  ASSERT_TRUE(Found.Open.contains(0));
  EXPECT_THAT(Found.Open.at(0).What, HasSubstr("`taken@a.cu:3:5`"));
  // A share that has a value is one of the warps.
  LaunchRequests Shared = counted(
      oneAccess(Space::Global, 4, "4*threadIdx.x", "1/4*[9-threadIdx.x]"), {{8, 1, 1}, {32, 1, 1}});
  EXPECT_EQ(Shared.Accesses[0].Requests, 2);
  EXPECT_EQ(Shared.Accesses[0].Sectors.Low, 4);
  EXPECT_THAT(Shared.Assumptions.back(), HasSubstr("each by itself"));
  // Where each of the ten lanes takes it by itself, a warp has no request with probability 0.75^10.
  EXPECT_NEAR(Shared.Accesses[0].Alone.Requests, 8 * (1 - std::pow(0.75, 10)), 1e-9);
}

TEST(WarpRequests, EffortIsBounded) {
  // Squares have no form: each block stands alone, and too many of them are too many.
  AccessProgram Program = oneAccess(Space::Global, 4, "4*blockIdx.x^2+4*threadIdx.x");
  LaunchRequests All = counted(Program, {{1000, 1, 1}, {32, 1, 1}});
  EXPECT_TRUE(All.IsComplete);
  LaunchRequests Some = counted(Program, {{10'000'000, 1, 1}, {32, 1, 1}});
  EXPECT_FALSE(Some.IsComplete);
  EXPECT_EQ(Some.Accesses[0].Requests, 10'000'000);
  EXPECT_NEAR(Some.Accesses[0].Sectors.Low / 1e7, All.Accesses[0].Sectors.Low / 1e3, 0.4);
  EXPECT_THAT(Some.Assumptions.back(), HasSubstr("stand for others"));
}
