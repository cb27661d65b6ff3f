//===- TrafficSimulationTest.cpp - traffic by running accesses ------------===//
//
// Small cases with the misses derived by hand, and programs held against a second
// simulator that is as plain as can be: lists of lines in the order of their use, one
// access after the other, formulas evaluated as rational numbers.
//
//===----------------------------------------------------------------------===//

#include "model/traffic/CacheSimulator.h"
#include "model/traffic/Traffic.h"
#include "test/support/AccessPrograms.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <list>

using namespace ergon;
using namespace ergon::accesses;

static CacheLevel level(std::string Name, std::uint64_t Bytes, unsigned Ways, unsigned Line = 64) {
  return {.Name = std::move(Name), .Bytes = Bytes, .LineBytes = Line, .Ways = Ways};
}

/// As callgrind has it: a first level that writes through, one behind it.
static CacheHierarchy callgrind(std::uint64_t First = 32768, std::uint64_t Last = 1 << 20) {
  CacheHierarchy Made{level("l1", First, 8), level("l2", Last, 16)};
  Made[0].WriteThrough = true;
  return Made;
}

static Traffic simulated(const AccessProgram &Program, const CacheHierarchy &Through) {
  auto Found = simulateTraffic(Program, Through, placeObjects(Program));
  EXPECT_TRUE(Found) << (Found ? "" : Found.error().What);
  return Found ? *Found : Traffic{};
}

TEST(CacheSimulator, LeastRecentlyUsedLeaves) {
  // One set of two lines. a b a c: c takes the place of b, so a hits and b does not.
  CacheSimulator Cache({level("l1", 128, 2)}, 1);
  for (std::uint64_t Line : {0, 1, 0, 2, 0, 1})
    Cache.load({0, Line * 64, 8});
  EXPECT_EQ(Cache.countsOf(0, 0).Loads, 6);
  EXPECT_EQ(Cache.countsOf(0, 0).LoadMisses, 4);
}

TEST(CacheSimulator, SetsShareNothing) {
  // Four sets of one line: lines 0 and 4 take each other's place, line 1 is never in the way.
  CacheSimulator Cache({level("l1", 256, 1)}, 2);
  for (int I = 0; I != 3; ++I) {
    Cache.load({0, 0, 8});
    Cache.load({0, 4 * 64, 8});
    Cache.load({1, 64, 8});
  }
  EXPECT_EQ(Cache.countsOf(0, 0).LoadMisses, 6);
  EXPECT_EQ(Cache.countsOf(1, 0).LoadMisses, 1);
}

TEST(CacheSimulator, WriteBacksAreOfTheLastStore) {
  // Accesses 0 and 1 store to a line, 2 reads the one that takes its place.
  CacheSimulator Cache({level("l1", 64, 1), level("l2", 128, 1)}, 3);
  Cache.store({0, 0, 8});
  Cache.store({1, 8, 8});
  Cache.load({2, 128, 8}); // l2 has two sets: line 2 takes the place of line 0 there too
  EXPECT_EQ(Cache.countsOf(0, 0).StoreMisses, 1);
  EXPECT_EQ(Cache.countsOf(0, 0).WriteBacks, 0);
  EXPECT_EQ(Cache.countsOf(1, 0).WriteBacks, 1);
  // What comes back from l1 is no access, and needs no old data. It takes the place of line 2.
  EXPECT_EQ(Cache.countsOf(1, 1).Stores + Cache.countsOf(1, 1).StoreMisses, 0);
  EXPECT_EQ(Cache.countsOf(1, 1).WriteBacks, 0);
  Cache.load({2, 0, 8});
  Cache.load({2, 128, 8});
  EXPECT_EQ(Cache.countsOf(2, 1).LoadMisses, 2);
  EXPECT_EQ(Cache.countsOf(1, 1).WriteBacks, 1);
}

TEST(CacheSimulator, StoresGoThrough) {
  CacheSimulator Cache(callgrind(64 * 8, 64 * 16), 2);
  for (int I = 0; I != 3; ++I)
    Cache.store({0, 0, 8});
  EXPECT_EQ(Cache.countsOf(0, 0).StoreMisses, 1);
  EXPECT_EQ(Cache.countsOf(0, 0).Bypassed, 24);
  EXPECT_EQ(Cache.countsOf(0, 1).Stores, 3);
  EXPECT_EQ(Cache.countsOf(0, 1).StoreMisses, 1);
  // 16 lines later the line leaves l2, dirty; it left l1 clean.
  for (std::uint64_t Line = 1; Line != 17; ++Line)
    Cache.load({1, 64 * Line, 8});
  EXPECT_EQ(Cache.countsOf(0, 0).WriteBacks, 0);
  EXPECT_EQ(Cache.countsOf(0, 1).WriteBacks, 1);
}

TEST(CacheSimulator, StoresWithoutALine) {
  CacheHierarchy Through = callgrind(64 * 8, 64 * 16);
  Through[0].WriteAllocate = Through[1].WriteAllocate = false;
  CacheSimulator Cache(Through, 1);
  Cache.store({0, 0, 8});
  Cache.store({0, 8, 4});
  Cache.load({0, 0, 8});
  Cache.store({0, 0, 8}); // now both have the line
  const LevelTraffic &First = Cache.countsOf(0, 0), &Last = Cache.countsOf(0, 1);
  EXPECT_EQ(First.StoreMisses, 0);
  EXPECT_EQ(First.LoadMisses, 1);
  EXPECT_EQ(First.Bypassed, 20);
  EXPECT_EQ(Last.Bypassed, 12);
  EXPECT_EQ(Last.Stores, 3);
}

TEST(CacheSimulator, TwoLinesAreOneMiss) {
  CacheSimulator Cache(callgrind(), 1);
  Cache.load({0, 60, 8});
  Cache.load({0, 64, 8});
  Cache.load({0, 124, 8});
  EXPECT_EQ(Cache.countsOf(0, 0).Loads, 3);
  EXPECT_EQ(Cache.countsOf(0, 0).LoadMisses, 2);
  EXPECT_EQ(Cache.countsOf(0, 1).LoadMisses, 2);
}

TEST(CacheSimulator, StreamingStoresLeaveNoLine) {
  CacheSimulator Cache({level("l1", 1024, 2), level("l2", 4096, 2)}, 2);
  Cache.store({0, 0, 8});
  Cache.bypass({1, 0, 16});
  EXPECT_EQ(Cache.countsOf(0, 0).WriteBacks, 1);
  EXPECT_EQ(Cache.countsOf(0, 1).WriteBacks, 1);
  EXPECT_EQ(Cache.countsOf(1, 1).Bypassed, 16);
  Cache.load({1, 0, 8});
  EXPECT_EQ(Cache.countsOf(1, 1).LoadMisses, 1);
}

/// Three times over four lines of one set.
static CacheSimulator threePasses(unsigned Ways, bool Stores) {
  CacheSimulator Cache({level("l1", 64 * Ways, Ways)}, 1, {.StackBytes = 1});
  for (int I = 0; I != 3; ++I)
    for (std::uint64_t Line = 0; Line != 4; ++Line)
      Stores ? Cache.store({0, 64 * Line, 8}) : Cache.load({0, 64 * Line, 8});
  return Cache;
}

TEST(HiddenMemory, TakesTheLastWay) {
  // In four ways the second and the third pass hit, each line in the last way: with one way less
  // each access misses.
  const CacheSimulator Four = threePasses(4, false);
  CacheSimulator Three = threePasses(3, false);
  EXPECT_EQ(Three.countsOf(0, 0).LoadMisses, 12);
  EXPECT_EQ(Four.hiddenHarm(0), 12 - 4);
  // With five ways there is room for it.
  EXPECT_EQ(threePasses(5, false).hiddenHarm(0), 0);
  // Of lines that were stored to, each is written back and fetched again, but for the one that is
  // still there in the end: 12 fetched and 9 written back rather than 4 and none.
  Three = threePasses(3, true);
  EXPECT_EQ(Three.countsOf(0, 0).StoreMisses + Three.countsOf(0, 0).WriteBacks, 21);
  EXPECT_EQ(threePasses(4, true).hiddenHarm(0), 21 - 4 - 1);
}

TEST(HiddenMemory, IsInNeighbouringSets) {
  // Four sets of two ways. Twice over two lines each of the sets 0, 1 and 3: two hits in each. The
  // stack has 64 bytes, two lines where it does not begin with one.
  CacheSimulator Cache({level("l1", 512, 2)}, 1, {.StackBytes = 64});
  EXPECT_EQ(Cache.linesOf(1), 1u);
  EXPECT_EQ(Cache.linesOf(2), 2u);
  EXPECT_EQ(Cache.linesOf(65), 2u);
  EXPECT_EQ(Cache.linesOf(66), 3u);
  for (int I = 0; I != 2; ++I)
    for (std::uint64_t Line : {0, 4, 1, 5, 3, 7})
      Cache.load({0, 64 * Line, 8});
  EXPECT_EQ(Cache.hiddenHarm(0), 4); // two lines: sets 0 and 1, or 3 and 0
}

TEST(HiddenMemory, CodeIsTouchedOnce) {
  // l1 is one line; five times over the four lines of l2's set: 16 hits, all in the last way. A
  // line of code that comes once is gone when the four have been touched: four lines are fetched
  // again, and were they dirty, written back.
  CacheSimulator Cache({level("l1", 64, 1), level("l2", 256, 4)}, 1, {.CodeBytes = 1});
  for (int I = 0; I != 5; ++I)
    for (std::uint64_t Line = 0; Line != 4; ++Line)
      Cache.load({0, 64 * Line, 8});
  EXPECT_EQ(Cache.countsOf(0, 1).Marginal, 16);
  EXPECT_EQ(Cache.hiddenHarm(1), 8);
  EXPECT_EQ(Cache.hiddenHarm(0), 0); // the first level has data alone
}

namespace {
/// The second simulator: write-allocate, the last level is the only one with dirty lines.
class PlainCaches {
public:
  PlainCaches(const CacheHierarchy &Through) : Through(Through), Sets(Through.size()) {
    for (std::size_t I = 0; I != Through.size(); ++I)
      Sets[I].resize(Through[I].sets());
  }
  double Misses[3] = {}, WriteBacks = 0;

  void access(std::uint64_t Address, bool IsStore) {
    bool Reaches = true;
    for (std::size_t I = 0; I != Through.size() && (Reaches || IsStore); ++I) {
      const std::uint64_t Line = Address / Through[I].LineBytes;
      auto &Set = Sets[I][Line % Sets[I].size()];
      auto Found = std::ranges::find(Set, Line, &std::pair<std::uint64_t, bool>::first);
      bool Dirty = IsStore && I + 1 == Through.size();
      if (Found != Set.end()) {
        Dirty |= Found->second;
        Set.erase(Found);
        Reaches = false;
      } else {
        Misses[I] += 1;
        Reaches = true;
      }
      Set.emplace_front(Line, Dirty);
      if (Set.size() > Through[I].Ways) {
        WriteBacks += Set.back().second;
        Set.pop_back();
      }
    }
  }

  void run(const AccessNest &Nest, const Placement &P, std::map<std::string, long> &Values) {
    auto valueOf = [&](const Expr &Formula) {
      return Formula
          .evaluate([&](const std::string &Name) -> std::optional<Rational> {
            return Rational(Values.at(Name));
          })
          ->get_num()
          .get_si();
    };
    for (long I = 0, Last = valueOf(Nest.Last); I <= Last; ++I) {
      Values[Nest.Variable] = I;
      for (const AccessItem &Item : Nest.Items)
        for (long Times = valueOf(Item.Runs); Times > 0; --Times)
          if (const auto *Inner = std::get_if<AccessNest>(&Item.What)) {
            run(*Inner, P, Values);
          } else {
            const auto &MA = std::get<MemoryAccess>(Item.What);
            access(P[MA.Object] + std::uint64_t(valueOf(*MA.Offset)),
                   MA.What == Access::Kind::Store);
          }
    }
  }

private:
  const CacheHierarchy &Through;
  std::vector<std::vector<std::list<std::pair<std::uint64_t, bool>>>> Sets;
};
} // namespace

static void expectSame(const AccessProgram &Program, const CacheHierarchy &Through) {
  PlainCaches Plain(Through);
  std::map<std::string, long> Values;
  const Placement P = placeObjects(Program);
  Plain.run(Program.Body, P, Values);
  Traffic Found = simulated(Program, Through);
  EXPECT_TRUE(Found.IsComplete);
  for (std::size_t I = 0; I != Through.size(); ++I) {
    EXPECT_EQ(Found.Levels[I].LoadMisses + Found.Levels[I].StoreMisses, Plain.Misses[I]) << I;
    LevelTraffic Sum;
    for (const auto &Access : Found.Accesses)
      Sum += Access[I];
    EXPECT_EQ(Sum.LoadMisses, Found.Levels[I].LoadMisses);
    EXPECT_EQ(Sum.WriteBacks, Found.Levels[I].WriteBacks);
  }
  EXPECT_EQ(Found.Levels.back().WriteBacks, Plain.WriteBacks);
}

static CacheHierarchy small() {
  CacheHierarchy Made{level("l1", 1024, 2), level("l2", 8192, 4)};
  Made[0].WriteThrough = true;
  return Made;
}

TEST(SimulatedTraffic, MatrixProductLikeThePlainSimulator) {
  auto Program = program({object("a"), object("b"), object("c")},
                         {loop("i", "19",
                               {loop("j", "21",
                                     {loop("k", "23",
                                           {load(0, "184*i+8*k"), load(1, "168*k+8*j"),
                                            load(2, "168*i+8*j"), store(2, "168*i+8*j")})})})});
  expectSame(Program, small());
  expectSame(Program, callgrind());
}

TEST(SimulatedTraffic, TrianglesAndConditionsLikeThePlainSimulator) {
  auto Program =
      program({object("a"), object("b")},
              {loop("i", "40",
                    {loop("j", "i", {load(0, "320*i+8*j"), load(0, "320*j+8*i"), store(1, "8*i")},
                          "[i-3]*[30-i]"),
                     access(Access::Kind::Store, 0, "328*i", 8, "[2*i-15]"),
                     loop("k", "17",
                          {access(Access::Kind::Load, 1, "4*k", 4, "[k-5]"),
                           access(Access::Kind::Store, 1, "1000+8*k", 8, "[11-k]*[3*k-7]"),
                           access(Access::Kind::Load, 0, "8*k*k", 8, "[k*k-10]")})})});
  expectSame(Program, small());
}

TEST(SimulatedTraffic, BackwardAndShortElementsLikeThePlainSimulator) {
  auto Program =
      program({object("a"), object("b")},
              {loop("t", "5",
                    {loop("i", "300", {load(0, "2392-8*i"), store(1, "2*i", 2)}),
                     loop("i2", "300", {load(1, "598-2*i2", 2), store(0, "8*floor(i2,3)")})})});
  expectSame(Program, small());
  expectSame(Program, callgrind(512, 1024));
}

TEST(SimulatedTraffic, OneLineMoreDoesNoMoreHarmThanSaid) {
  // A variable in memory that each iteration reads, in one set after the other of the first level.
  auto Product = [](bool Reads) {
    std::vector<AccessItem> Inner = {load(0, "136*i+8*k"), load(1, "136*k+8*j"),
                                     load(2, "136*i+8*j"), store(2, "136*i+8*j")};
    if (Reads)
      Inner.push_back(load(3, "0"));
    return program({object("a"), object("b"), object("c"), object("s")},
                   {loop("i", "17", {loop("j", "17", {loop("k", "17", Inner)})})});
  };
  const CacheHierarchy Through = {level("l1", 4096, 4)};
  auto Program = Product(false);
  Program.Hidden.StackBytes = 1;
  Placement P = placeObjects(Program);
  auto Said = simulateTraffic(Program, Through, P);
  ASSERT_TRUE(Said);
  const LevelTraffic &All = Said->Levels[0];
  const double Lines = All.LoadMisses + All.StoreMisses + All.WriteBacks;
  double Most = 0;
  for (std::uint64_t Set = 0; Set != Through[0].sets(); ++Set) {
    P[3] = (1 << 20) + 64 * Set;
    auto Found = simulateTraffic(Product(true), Through, P);
    ASSERT_TRUE(Found);
    LevelTraffic Data = Found->Levels[0];
    Data.LoadMisses -= Found->Accesses[4][0].LoadMisses;
    Most = std::max(Most, Data.LoadMisses + Data.StoreMisses + Data.WriteBacks);
  }
  EXPECT_GT(Most, Lines);
  // What is dirty in the end is in neither.
  EXPECT_LE(Most, Lines + Said->Doubts[0].More + 1);
  EXPECT_GE(Most, Lines + Said->Doubts[0].More / 2);
}

TEST(SimulatedTraffic, SharesAreSpreadEvenly) {
  // 30 % of 1000 iterations.
  auto Program = program({object("a")},
                         {loop("i", "1000", {access(Access::Kind::Load, 0, "64*i", 8, "3/10")})});
  Traffic Found = simulated(Program, callgrind());
  EXPECT_EQ(Found.Levels[0].Loads, 300);
  EXPECT_EQ(Found.Levels[0].LoadMisses, 300);
}

TEST(SimulatedTraffic, MeanTripCounts) {
  // 2.5 iterations each of 100 times.
  auto Program = program({object("a")}, {loop("i", "100", {loop("j", "5/2", {load(0, "8*j")})})});
  EXPECT_EQ(simulated(Program, callgrind()).Levels[0].Loads, 250);
}

TEST(SimulatedTraffic, UnknownPlacesOfAKnownObject) {
  // 100,000 reads of 64 KiB that stay in l2: each of 1024 lines is met. l1 holds half of them,
  // so that half of the reads miss it.
  auto Program = program({object("a")}, {loop("i", "100000", {load(0, "0")})});
  std::get<MemoryAccess>(std::get<AccessNest>(Program.Body.Items[0].What).Items[0].What)
      .Offset.reset();
  Program.Objects[0].Bytes = Expr(65536);
  Traffic Found = simulated(Program, callgrind());
  EXPECT_EQ(Found.Levels[1].LoadMisses, 1024);
  EXPECT_NEAR(Found.Levels[0].LoadMisses, 50000, 1000);
  EXPECT_THAT(Found.Assumptions, testing::ElementsAre(testing::HasSubstr("equally often")));
  // Always the same places.
  EXPECT_EQ(simulated(Program, callgrind()).Levels[0].LoadMisses, Found.Levels[0].LoadMisses);
}

TEST(SimulatedTraffic, LongAccessesGoLineByLine) {
  auto Program = program({object("a")}, {load(0, "64", 256)});
  EXPECT_EQ(simulated(Program, callgrind()).Levels[0].LoadMisses, 4);
}

TEST(SimulatedTraffic, NoIterationIsNoTraffic) {
  auto Program = program({object("a")},
                         {loop("i", "0", {load(0, "8*i")}), loop("j", "-5", {store(0, "8*j")})});
  Traffic Found = simulated(Program, callgrind());
  EXPECT_EQ(Found.Levels[0].Loads + Found.Levels[0].Stores, 0);
  EXPECT_EQ(Found.Accesses.size(), 2u);
}

static std::string failure(const AccessProgram &Program,
                           const CacheHierarchy &Through = callgrind()) {
  auto Found = simulateTraffic(Program, Through, placeObjects(Program));
  return Found ? "no error" : Found.error().What + "; " + Found.error().Fix;
}

TEST(SimulatedTraffic, WhatCannotBe) {
  EXPECT_EQ(
      failure(program({object("a")}, {loop("i", "2^40", {load(0, "2^40*i")})})),
      "the access to `a` is 1208925819613529663078400 bytes from its start, beyond what can be "
      "addressed; use smaller sizes");
  EXPECT_EQ(
      failure(program({object("a")}, {loop("i", "1180591620717411303424", {load(0, "0")})})),
      "how often the loop runs, 1180591620717411303424, is too large or too long a formula to "
      "be run through; use smaller sizes");
  auto Unbound = program({object("a")}, {loop("i", "n", {load(0, "8*i")})});
  Unbound.Unbound = {"n"};
  EXPECT_EQ(failure(Unbound), "`n` has no value; give it with --set");
  auto Nowhere = program({object("a")}, {load(0, "0")});
  std::get<MemoryAccess>(Nowhere.Body.Items[0].What).Offset.reset();
  EXPECT_EQ(failure(Nowhere), "which places of `a` the access goes to is not known, nor how large "
                              "it is; say it, as in --place 'a=:8000'");
  EXPECT_EQ(failure(Nowhere, {}), "there is no cache level; give one or more");
  EXPECT_EQ(failure(Nowhere, {level("l3", 1ULL << 30, 1 << 20)}),
            "l3 has 16777216 lines in sets of 1048576, which takes too long to run through; use "
            "the analytic predictor");
}
