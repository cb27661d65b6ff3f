//===- OverlapShareTest.cpp - how often objects overlap -------------------===//

#include "model/incore/OverlapShare.h"
#include "test/support/AccessPrograms.h"

#include <gmock/gmock.h>

using namespace ergon;
using namespace ergon::accesses;
using testing::DoubleEq;
using testing::DoubleNear;

/// The share of the innermost loop's entries in \p Item, loops each in the one before.
static double shareOf(const AccessItem &Item, const OverlapCheck &Check) {
  std::vector<const AccessNest *> Loops;
  for (const AccessItem *Next = &Item; Next && std::holds_alternative<AccessNest>(Next->What);
       Next = &Loops.back()->Items.front())
    Loops.push_back(&std::get<AccessNest>(Next->What));
  return overlapShare(Loops, Check);
}

static constexpr OverlapCheck Ranges{.Loops = 1};

TEST(OverlapShare, ARowBesideAnotherOneOfItsObject) {
  // Row i is written while row k is read: the same one where i is k, in one of ten.
  const AccessItem Rows =
      loop("k", "10",
           {loop("i", "10", {loop("j", "5", {load(0, "40*k + 8*j"), store(0, "40*i + 8*j")})})});
  EXPECT_THAT(shareOf(Rows, Ranges), DoubleNear(0.1, 0.04));
}

TEST(OverlapShare, AnElementOfTheRowItself) {
  // Floyd and Warshall: path[i][k] lies in the row that is written.
  const AccessItem Paths =
      loop("k", "10",
           {loop("i", "10", {loop("j", "10", {load(0, "80*i + 8*k"), store(0, "80*i + 8*j")})})});
  EXPECT_THAT(shareOf(Paths, Ranges), DoubleEq(1));
}

TEST(OverlapShare, KnownDistancesAndOtherObjectsAreNotCompared) {
  EXPECT_THAT(
      shareOf(loop("i", "10", {load(0, "8*i + 8"), store(0, "8*i"), load(1, "8*i")}), Ranges),
      DoubleEq(0));
}

TEST(OverlapShare, SoManyBytesApart) {
  // What is stored is loaded again m elements later, m from 0 to 9: less than 32 bytes of m < 4.
  const AccessItem Shifted =
      loop("m", "10", {loop("i", "100", {load(0, "8*i"), store(0, "8*i + 8*m")})});
  EXPECT_THAT(shareOf(Shifted, {.ApartBytes = 32, .Loops = 1}), DoubleNear(0.4, 0.05));
}

TEST(OverlapShare, AHoistedCheckCoversTheLoopsItIsOutsideOf) {
  // Rows that never meet in one iteration of i do in all of them.
  const AccessItem Rows =
      loop("k", "10",
           {loop("i", "10",
                 {loop("j", "5",
                       {load(0, "400 + 40*i + 8*j + k - k"), store(0, "40*k + 40*i + 8*j")})})});
  EXPECT_LT(shareOf(Rows, {.Loops = 1}), 0.2);
  EXPECT_GT(shareOf(Rows, {.Loops = 2}), 0.8);
}

TEST(OverlapShare, AStrideThatWasTakenForOne) {
  const OverlapCheck Unit{.UnitStride = true};
  EXPECT_THAT(shareOf(loop("i", "10", {load(0, "8*i"), store(1, "8*i")}), Unit), DoubleEq(0));
  EXPECT_THAT(shareOf(loop("i", "10", {load(0, "80*i"), store(1, "8*i")}), Unit), DoubleEq(1));
}
