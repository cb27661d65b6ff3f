//===- UnknownStartsTest.cpp - accesses that start anywhere ---------------===//
//
// Lines that are derived by hand, by footprints and by running the accesses through caches.
//
//===----------------------------------------------------------------------===//

#include "test/support/AccessPrograms.h"

#include "model/traffic/TrafficReport.h"

#include <gmock/gmock.h>

using namespace ergon;
using namespace ergon::accesses;
using testing::HasSubstr;
using testing::IsSupersetOf;

namespace {

/// 512 and 8192 lines.
const CacheHierarchy Caches = {{"l1", 32 << 10, 64, 8}, {"l2", 512 << 10, 64, 16}};

AccessItem from(Access::Kind What, unsigned Start, unsigned Loops, const std::string &Further) {
  AccessItem Result = access(What, 0, "0");
  auto &MA = std::get<MemoryAccess>(Result.What);
  MA.Offset.reset();
  MA.From = UnknownStart{.Number = Start, .Loops = Loops, .Further = formula(Further)};
  return Result;
}
AccessItem loadFrom(unsigned Start, unsigned Loops, const std::string &Further) {
  return from(Access::Kind::Load, Start, Loops, Further);
}

MemoryObject sized(long Bytes) {
  MemoryObject Result = object("a");
  Result.Bytes = Expr(Bytes);
  return Result;
}

std::vector<Traffic> both(const AccessProgram &Program) {
  std::vector<Traffic> Result;
  for (auto *Predict : {analyzeTraffic, simulateTraffic}) {
    auto Found = Predict(Program, Caches, placeObjects(Program));
    EXPECT_TRUE(Found) << (Found ? "" : Found.error().What);
    if (Found)
      Result.push_back(std::move(*Found));
  }
  return Result;
}

TEST(UnknownPlaces, ARunFromAnywhereIsNeighbours) {
  // 64 doubles from any place of 64 MiB: one line and, with each step, an eighth of one; hardly any
  // is met again. 1000·(1 + 63/8).
  for (const Traffic &T : both(program(
           {sized(64 << 20)}, {loop("i", "1000", {loop("k", "64", {loadFrom(1, 1, "8*k")})})}))) {
    EXPECT_EQ(T.Levels[0].Loads, 64000);
    EXPECT_NEAR(T.Levels[0].LoadMisses, 8875, 90);
    EXPECT_NEAR(T.Levels[1].LoadMisses, 8875, 90);
  }
}

TEST(UnknownPlaces, APlaceThatStaysIsOne) {
  // What is added to one place in an inner loop comes to a line each time that it is entered.
  for (const Traffic &T :
       both(program({sized(64 << 20)},
                    {loop("i", "1000",
                          {loop("k", "50",
                                {loadFrom(1, 1, "0"), from(Access::Kind::Store, 1, 1, "0")})})}))) {
    EXPECT_NEAR(T.Levels[0].LoadMisses, 1000, 5);
    EXPECT_EQ(T.Levels[0].StoreMisses, 0);
    EXPECT_NEAR(T.Levels[0].WriteBacks, 1000 - 512, 10);
  }
}

TEST(UnknownPlaces, RowsOfRunsAndColumnsInThem) {
  // Blocks of 4 rows of 16 doubles, rows 1 KiB apart: four times 1 + 15/8 lines.
  for (const Traffic &T :
       both(program({sized(64 << 20)},
                    {loop("i", "1000",
                          {loop("j", "4", {loop("k", "16", {loadFrom(1, 2, "1024*j + 8*k")})})})})))
    EXPECT_NEAR(T.Levels[0].LoadMisses, 1000 * 4 * (1 + 15. / 8), 120);
}

TEST(UnknownPlaces, MembersOfANodeAreInOneLine) {
  const auto Walk = [](const std::string &Nodes) {
    return program({object("*at")}, {loop("i", Nodes, {loadFrom(1, 0, "8"), loadFrom(1, 0, "0")})});
  };
  auto Cold = analyzeTraffic(Walk("1000"), Caches, {0});
  ASSERT_TRUE(Cold);
  EXPECT_EQ(Cold->Levels[0].LoadMisses, 1000);
  // After a run that did the same: of 500 lines each is where it was.
  auto Again = analyzeTraffic(Walk("500"), Caches, {0});
  ASSERT_TRUE(Again);
  startWarm(*Again, Walk("500"), Caches, {0}, true);
  EXPECT_EQ(Again->Levels[0].LoadMisses, 0);
  EXPECT_THAT(Again->Assumptions,
              IsSupersetOf({HasSubstr("500 lines of `*at` at most, which l1 has")}));
  // Of 1000 the first cache has none, as far as anybody can tell, and the second all.
  startWarm(*Cold, Walk("1000"), Caches, {0}, true);
  EXPECT_EQ(Cold->Levels[0].LoadMisses, 1000);
  EXPECT_EQ(Cold->Levels[1].LoadMisses, 0);
}

TEST(UnknownPlaces, MeanTripsCountInAll) {
  // Three and a half iterations in the mean.
  for (const Traffic &T : both(program(
           {object("a")}, {loop("i", "1000", {loop("k", "7/2", {load(0, "32*i + 8*k")})})}))) {
    EXPECT_EQ(T.Levels[0].Loads, 3500);
    EXPECT_NEAR(T.Levels[0].LoadMisses, 500, 1);
  }
}

/// Four sweeps over as many lines as the first cache has.
AccessProgram fourSweeps(std::vector<AccessItem> After = {}) {
  std::vector<AccessItem> Items = {loop("k", "4096", {load(1, "8*k")})};
  std::ranges::move(After, std::back_inserter(Items));
  AccessProgram Program = program({sized(64), sized(32 << 10)}, {loop("i", "4", std::move(Items))});
  Program.Objects[1].Name = "b";
  return Program;
}

TEST(UnknownPlaces, ATableTakesAWayOfItsSet) {
  // 512 lines fill the cache. One line of a table, used after each sweep, is the ninth of its set:
  // from the second sweep on all nine miss, 513 + 3·9.
  for (const Traffic &T : both(fourSweeps({loop("j", "100", {loadFrom(1, 0, "0")})})))
    EXPECT_EQ(T.Levels[0].LoadMisses, 513 + 3 * 9);
  for (const Traffic &Element : both(fourSweeps()))
    EXPECT_EQ(Element.Levels[0].LoadMisses, 512);
}

TEST(UnknownPlaces, WhatOthersHaveFetchedIsThere) {
  // 128 lines are stored to, and then read anywhere.
  for (const Traffic &T :
       both(program({sized(8192)}, {loop("k", "1024", {store(0, "8*k")}),
                                    loop("j", "10000", {loadFrom(1, 0, "0")})}))) {
    EXPECT_EQ(T.Levels[1].StoreMisses, 128);
    EXPECT_EQ(T.Levels[1].LoadMisses, 0);
  }
}

/// Bytes beyond each level, the least and the most.
std::vector<std::pair<double, double>> rangeOf(const AccessProgram &Program,
                                               const CacheHierarchy &Through) {
  const Placement P = placeObjects(Program);
  auto Found = reportTraffic(Program, {.Levels = Through, .Assumptions = {}}, P,
                             TrafficMethod::Analytic, false, otherPlacements(Program, P));
  EXPECT_TRUE(Found);
  return Found ? Found->Range : std::vector<std::pair<double, double>>(Through.size());
}

TEST(UnknownPlaces, WhatFitsIsFetchedOnce) {
  // Of 1024 lines and the two at their ends, in 8192.
  const auto Range =
      rangeOf(program({sized(64 << 10)}, {loop("j", "100000", {loadFrom(1, 0, "0")})}), Caches);
  EXPECT_EQ(Range[1].first, 0);
  EXPECT_EQ(Range[1].second, 1026 * 64);
}

TEST(UnknownPlaces, AnObjectIsDrivenOutOncePerObject) {
  // In 8 KiB of 1 KiB each, that 1000 sweeps over 256 lines may drive out of 64 lines: with two
  // accesses in the text no more than with one.
  const CacheHierarchy Small = {{"l1", 4 << 10, 64, 4}};
  auto Function = [](std::vector<AccessItem> Items) {
    Items.push_back(loop("k", "256", {load(1, "64*k")}));
    AccessProgram Made = program({sized(1024), sized(16 << 10)}, {loop("i", "1000", Items)});
    Made.Objects[1].Name = "b";
    return Made;
  };
  const auto Entries = rangeOf(Function({loop("j", "200", {loadFrom(1, 0, "0")})}), Small),
             Two = rangeOf(Function({loop("j", "100", {loadFrom(1, 0, "0")}),
                                     loop("l", "100", {loadFrom(2, 0, "0")})}),
                           Small);
  EXPECT_NEAR(Two[0].second, Entries[0].second, 0.01 * Entries[0].second);
}

TEST(HiddenMemory, NoMoreIsMissedInASetThanComesThere) {
  // Four sweeps over 512 lines that fill l2: where it has seven ways all miss, 24 hits in each of
  // its 64 sets. Two lines of the stack cost that, each time that they may, and eleven lines of
  // code once, a miss and a write-back for each way.
  AccessProgram Program = fourSweeps();
  Program.Hidden = {.StackBytes = 1, .CodeBytes = 640};
  const auto Range = rangeOf(Program, {{"l1", 4 << 10, 64, 4}, {"l2", 32 << 10, 64, 8}});
  EXPECT_EQ(Range[1].first, 512 * 64);
  EXPECT_EQ(Range[1].second, (512 + 2 * 24 + 11 * 16) * 64);
}

} // namespace
