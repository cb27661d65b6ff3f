//===- FootprintTest.cpp - bytes that loops touch, as formulas ------------===//
//
// Footprints that are written out by hand, of loops whose bounds are parameters.
//
//===----------------------------------------------------------------------===//

#include "test/support/AccessPrograms.h"

#include "model/traffic/Footprint.h"

using namespace ergon;
using namespace ergon::accesses;

namespace {

TEST(Footprint, FivePointStencil) {
  auto Program =
      program({object("a"), object("b")},
              {loop("i", "n-2",
                    {loop("j", "n-2",
                          {load(0, "8*n*i+8*j+8"), load(0, "8*n*i+8*n+8*j"),
                           load(0, "8*n*i+8*n+8*j+8"), load(0, "8*n*i+8*n+8*j+16"),
                           load(0, "8*n*i+16*n+8*j+8"), store(1, "8*n*i+8*n+8*j+8")})})});
  auto Loops = footprintsOf(Program, 64);
  ASSERT_EQ(Loops.size(), 2u);
  // Of a, one iteration of i touches three rows with their ends; of b what is inside of one.
  EXPECT_EQ(Loops[0].Objects[0].IterationBytes, formula("24*n"));
  EXPECT_EQ(Loops[0].Objects[1].IterationBytes, formula("8*n-16"));
  EXPECT_EQ(Loops[0].Objects[0].LoopBytes, formula("8*n^2"));
  // 32·n - 16 bytes are 32 KiB at n = 1024.5.
  EXPECT_EQ(Loops[0].IterationBytes, formula("32*n-16"));
  EXPECT_EQ(largestFittingValue(Loops[0].IterationBytes, "n", 32 << 10, {}), 1024);
}

TEST(Footprint, MatrixProduct) {
  // c[i][j] += a[i][k] · b[k][j], in the order i, j, k: a column of b is one line of each row.
  auto Program = program({object("a"), object("b"), object("c")},
                         {loop("i", "n",
                               {loop("j", "n",
                                     {loop("k", "n", {load(0, "8*n*i+8*k"), load(1, "8*n*k+8*j")}),
                                      store(2, "8*n*i+8*j")})})});
  auto Loops = footprintsOf(Program, 64);
  ASSERT_EQ(Loops.size(), 3u);
  // One i: a row of a, all of b, a row of c.
  EXPECT_EQ(Loops[0].IterationBytes, formula("8*n^2+16*n"));
  EXPECT_EQ(Loops[0].LoopBytes, formula("24*n^2"));
  // One j: a row of a, a column of b, one element of c.
  EXPECT_EQ(Loops[1].IterationBytes, formula("8*n+64*n+8"));
  // 8·n² + 16·n <= 2^20 while (n + 1)² <= 131073, that is n <= 361.
  EXPECT_EQ(largestFittingValue(Loops[0].IterationBytes, "n", 1 << 20, {}), 361);
  EXPECT_EQ(largestFittingValue(Loops[0].IterationBytes, "m", 1 << 20, {}), std::nullopt);
  EXPECT_EQ(largestFittingValue(Loops[0].IterationBytes, "n", 16, {}), std::nullopt);
}

TEST(Footprint, OtherParametersAreBound) {
  // n rows of m doubles.
  auto Program = program({object("a")}, {loop("i", "n", {loop("j", "m", {load(0, "8*m*i+8*j")})})});
  const Expr Whole = footprintsOf(Program, 64)[0].LoopBytes;
  EXPECT_EQ(Whole, formula("8*m*n"));
  EXPECT_EQ(largestFittingValue(Whole, "n", 8000, {{"m", Expr(10)}}), 100);
}

TEST(Footprint, TriangleAtItsLongest) {
  auto Program =
      program({object("a"), object("x")},
              {loop("i", "n", {loop("j", "i+1", {load(0, "8*n*i+8*j"), load(1, "8*j")})})});
  auto Loops = footprintsOf(Program, 64);
  EXPECT_EQ(Loops[0].IterationBytes, formula("16*n"));
  EXPECT_TRUE(Loops[0].IsComplete);
}

TEST(Footprint, WhatIsInsideAnotherRangeCountsOnce) {
  // a[i][j], a[i][k] and a[k][j] of one matrix.
  auto Program = program(
      {object("a")},
      {loop("k", "n",
            {loop("i", "n",
                  {loop("j", "n",
                        {load(0, "8*n*i+8*j"), load(0, "8*n*i+8*k"), load(0, "8*n*k+8*j")})})})});
  auto Loops = footprintsOf(Program, 64);
  EXPECT_EQ(Loops[0].IterationBytes, formula("8*n^2"));
  EXPECT_EQ(Loops[0].LoopBytes, formula("8*n^2"));
}

TEST(Footprint, UnknownPlacesAreSaid) {
  AccessItem Anywhere = load(0, "0");
  std::get<MemoryAccess>(Anywhere.What).Offset.reset();
  auto Program = program({object("a")}, {loop("i", "n", {Anywhere})});
  EXPECT_FALSE(footprintsOf(Program, 64)[0].IsComplete);
}

} // namespace
