//===- TrafficAnalysisTest.cpp - traffic from footprints and reuse --------===//
//
// Misses that are derived by hand, of nests whose arrays lie on pages one after the
// other.
//
//===----------------------------------------------------------------------===//

#include "model/LineSet.h"
#include "model/Traffic.h"

#include <gtest/gtest.h>

using namespace ergon;

namespace {

/// 32 KiB of 512 lines in 64 sets, and 256 KiB.
const CacheHierarchy TwoLevels = {{"l1", 32 << 10, 64, 8}, {"l2", 256 << 10, 64, 16}};

Expr var(const char *Name) { return Expr::symbol(Name); }

AccessItem access(Access::Kind What, unsigned Object, const Expr &Offset) {
  MemoryAccess Of{};
  Of.What = What;
  Of.Object = Object;
  Of.Bytes = 8;
  Of.Offset = Offset;
  return {1, std::move(Of)};
}
AccessItem load(unsigned Object, const Expr &Offset) {
  return access(Access::Kind::Load, Object, Offset);
}
AccessItem store(unsigned Object, const Expr &Offset) {
  return access(Access::Kind::Store, Object, Offset);
}

AccessItem loop(const char *Variable, const Expr &Trips, std::vector<AccessItem> Items) {
  return {1, AccessNest{Variable, Trips - 1, {}, std::move(Items)}};
}

AccessProgram program(std::size_t Objects, std::vector<AccessItem> Items) {
  AccessProgram Of;
  for (std::size_t I = 0; I != Objects; ++I)
    Of.Objects.push_back({std::string(1, char('A' + I)), Space::Memory});
  Of.Body.Items = std::move(Items);
  return Of;
}

Traffic analyze(const AccessProgram &Of, const CacheHierarchy &Through = TwoLevels) {
  auto Result = analyzeTraffic(Of, Through, placeObjects(Of));
  EXPECT_TRUE(Result.has_value());
  return Result.value_or(Traffic{});
}

double misses(const LevelTraffic &Of) { return Of.LoadMisses + Of.StoreMisses; }

TEST(LineSet, JoinsCutsAndCounts) {
  LineSet Some, Other;
  Some.add({8, 10});
  Some.add({0, 4});
  Some.add({4, 6});
  Some.normalize();
  EXPECT_EQ(Some.ranges(), (std::vector<LineRange>{{0, 6}, {8, 10}}));
  EXPECT_EQ(Some.count(), 8);
  Other.add({5, 9});
  Other.normalize();
  EXPECT_EQ((Some & Other).ranges(), (std::vector<LineRange>{{5, 6}, {8, 9}}));
  Some -= Other;
  EXPECT_EQ(Some.ranges(), (std::vector<LineRange>{{0, 5}, {9, 10}}));
  Some |= Other;
  EXPECT_EQ(Some.ranges(), (std::vector<LineRange>{{0, 10}}));
}

TEST(LineSet, LinesOfEachSet) {
  // Lines 3 to 12 in 4 sets: sets 3, 0 and 1 … have 3, 3, 2, 2.
  LineSet Lines;
  Lines.add({3, 13});
  SetLoad Load(Lines, 4);
  EXPECT_EQ(Load.loads(), (std::vector<std::int64_t>{3, 2, 2, 3}));
  EXPECT_EQ(Load.beyond(2, Lines).ranges(), (std::vector<LineRange>{{3, 5}, {7, 9}, {11, 13}}));
  EXPECT_TRUE(plainlyFits(Lines, 4, 3));
  EXPECT_FALSE(plainlyFits(Lines, 4, 2));
}

TEST(TrafficAnalysis, OneWalkFetchesEachLineOnce) {
  // 8000 bytes are 125 lines. Each is read, then written; all stay.
  auto Walk =
      analyze(program(1, {loop("i", 1000, {load(0, 8 * var("i")), store(0, 8 * var("i"))})}));
  EXPECT_EQ(Walk.Levels[0].Loads, 1000);
  EXPECT_EQ(Walk.Levels[0].Stores, 1000);
  EXPECT_EQ(Walk.Levels[0].LoadMisses, 125);
  EXPECT_EQ(Walk.Levels[0].StoreMisses, 0);
  EXPECT_EQ(Walk.Levels[0].WriteBacks, 0);
  EXPECT_EQ(Walk.Levels[1].Loads, 125);
  EXPECT_EQ(Walk.Levels[1].LoadMisses, 125);
}

TEST(TrafficAnalysis, WalksAgainOverMoreThanFits) {
  // LRU leaves nothing of 1024 lines for the next walk over them, where 512 fit.
  auto Walks = analyze(program(1, {loop("t", 10, {loop("i", 8192, {store(0, 8 * var("i"))})})}));
  EXPECT_EQ(Walks.Levels[0].StoreMisses, 10240);
  EXPECT_EQ(Walks.Levels[0].WriteBacks, 10240 - 512);
  EXPECT_EQ(Walks.Levels[1].StoreMisses, 1024);
  EXPECT_EQ(Walks.Levels[1].WriteBacks, 0);
}

TEST(TrafficAnalysis, SetsOfWhichOnlySomeHoldTooMuch) {
  // 528 lines: 16 of the 64 sets have 9 lines for their 8 ways, and lose all in each walk.
  auto Walks = analyze(program(1, {loop("t", 10, {loop("i", 528 * 8, {load(0, 8 * var("i"))})})}));
  EXPECT_EQ(Walks.Levels[0].LoadMisses, 528 + 9 * (16 * 9));
}

TEST(TrafficAnalysis, PowerOfTwoStrides) {
  // A column of 16 lines, 4096 bytes apart, is all in one set of 8 ways.
  auto Columns = analyze(program(1, {loop("t", 10, {loop("i", 16, {load(0, 4096 * var("i"))})})}));
  EXPECT_EQ(Columns.Levels[0].LoadMisses, 160);
  // With 64 bytes more to a row they are in 16 sets.
  auto Padded = analyze(program(1, {loop("t", 10, {loop("i", 16, {load(0, 4160 * var("i"))})})}));
  EXPECT_EQ(Padded.Levels[0].LoadMisses, 16);
}

TEST(TrafficAnalysis, NoTripNoTraffic) {
  auto Nothing = analyze(program(1, {loop("i", 0, {load(0, 8 * var("i"))})}));
  EXPECT_EQ(Nothing.Levels[0].Loads, 0);
  EXPECT_EQ(misses(Nothing.Levels[0]), 0);
}

} // namespace
