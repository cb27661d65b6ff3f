//===- ObjectExtentsTest.cpp - where objects lie --------------------------===//

#include "model/access/ObjectExtents.h"
#include "model/traffic/Traffic.h"
#include "test/support/AccessPrograms.h"

using namespace ergon;
using namespace ergon::accesses;

TEST(Placement, TrianglesAreNoRectangles) {
  // j <= i - 1, so that i - j is 1 or more.
  std::vector<AroundLoop> Loops = {{"i", Expr(99)}, {"j", formula("i-1")}};
  auto Found = rangeOf(formula("8*i-8*j"), Loops);
  ASSERT_TRUE(Found);
  EXPECT_EQ(Found->High, 8 * 99);
  EXPECT_GE(Found->Low, 0);
}

TEST(Placement, TilesEndWithTheArray) {
  // Of 100 elements in tiles of 32 the last is number 99.
  std::vector<AroundLoop> Loops = {{"t", Expr(3)}, {"i", formula("min(31,99-32*t)")}};
  auto Found = rangeOf(formula("8*(32*t+i)"), Loops);
  ASSERT_TRUE(Found);
  EXPECT_EQ(Found->Low, 0);
  EXPECT_EQ(Found->High, 8 * 99);
}

TEST(Placement, ObjectsFollowEachOtherOnPages) {
  // a: 1000 doubles, two pages; b: from -8 on, so it needs room below; s and t: on the stack;
  // c: no access says where, so it is as large as a; d and e: variables, as their declarations say
  // how large they are.
  auto Program = program({object("c"), object("a"), object("s", Space::Stack), object("b"),
                          object("t", Space::Stack), object("d"), object("e")},
                         {loop("i", "1000",
                               {load(1, "8*i"), store(3, "8*i-8"), load(2, "0"), load(4, "0", 4),
                                load(5, "0"), load(6, "0")})});
  Program.Objects[5].Bytes = Program.Objects[6].Bytes = Expr(5000);
  Program.Body.Items.push_back(
      {Expr(1),
       MemoryAccess{.What = Access::Kind::Load, .Object = 0, .Bytes = 8, .Offset = std::nullopt}});
  Placement P = placeObjects(Program);
  EXPECT_EQ(P[5], 4096u);
  EXPECT_EQ(P[6], 4096u + 5008);    // 5000 and up to a multiple of 16
  EXPECT_EQ(P[0], 4u * 4096);       // e ends at 14104
  EXPECT_EQ(P[1], 6u * 4096);       // c ends at 24384
  EXPECT_EQ(P[3], 8u * 4096);       // a ends at 32576, below 32768 - 8
  EXPECT_EQ(P[2], 10u * 4096 + 16); // b ends at 32768 + 7992 = 40760
  EXPECT_EQ(P[4], 10u * 4096 + 32);
}

TEST(Placement, HugeObjectsEndTheAddressSpaceOfNobody) {
  auto Program =
      program({object("a"), object("b")}, {loop("i", "2^62", {load(0, "2^62*i"), load(1, "8*i")})});
  Placement P = placeObjects(Program);
  EXPECT_LT(P[0], P[1]);
}

/// A load anywhere in \p Object.
static AccessItem loadAnywhere(unsigned Object, unsigned Bytes,
                               std::optional<std::uint64_t> Within = {}) {
  return {Expr(1), MemoryAccess{.What = Access::Kind::Load,
                                .Object = Object,
                                .Bytes = Bytes,
                                .Offset = std::nullopt,
                                .Within = Within}};
}

TEST(ObjectExtents, AnObjectByIndexHasAsManyElementsAsItsIndexes) {
  // 1000 indexes of 4 bytes, into numbers of 8.
  const auto Found =
      objectExtents(program({object("index"), object("x")},
                            {loop("i", "1000", {load(0, "4*i", 4), loadAnywhere(1, 8)})}));
  ASSERT_TRUE(Found[0] && Found[1]);
  EXPECT_FALSE(Found[0]->IsEstimated);
  EXPECT_TRUE(Found[1]->IsEstimated);
  EXPECT_EQ(Found[1]->End, 8000);
}

TEST(ObjectExtents, AnIndexOfFewBitsLeavesFewElements) {
  auto Histogram = program({object("bytes"), object("count")},
                           {loop("i", "1000", {load(0, "i", 1), loadAnywhere(1, 4, 1024)})});
  Histogram.Objects[1].Bytes = Expr(1 << 20);
  const auto Found = objectExtents(Histogram);
  ASSERT_TRUE(Found[1]);
  EXPECT_EQ(Found[1]->End, 1024);
  EXPECT_FALSE(Found[1]->IsEstimated);
  // Where others may be anywhere, all of it is.
  std::get<AccessNest>(Histogram.Body.Items[0].What).Items.push_back(loadAnywhere(1, 4));
  EXPECT_EQ(objectExtents(Histogram)[1]->End, 1 << 20);
}

TEST(ObjectExtents, WithoutOtherObjectsNothingIsEstimated) {
  EXPECT_FALSE(objectExtents(program({object("x")}, {loop("i", "9", {loadAnywhere(0, 8)})}))[0]);
}
