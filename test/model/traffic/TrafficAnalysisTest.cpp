//===- TrafficAnalysisTest.cpp - traffic from footprints and reuse --------===//
//
// Misses that are derived by hand, of nests whose arrays lie on pages one after the
// other; and many nests against the simulation.
//
//===----------------------------------------------------------------------===//

#include "test/support/AccessPrograms.h"

#include "model/traffic/Traffic.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace ergon;
using namespace ergon::accesses;

namespace {

/// 32 KiB of 512 lines in 64 sets, and 256 KiB of 4096 lines.
const CacheHierarchy TwoLevels = {{"l1", 32 << 10, 64, 8}, {"l2", 256 << 10, 64, 16}};

Traffic analyze(const AccessProgram &Program, const CacheHierarchy &Through = TwoLevels) {
  auto Result = analyzeTraffic(Program, Through, placeObjects(Program));
  EXPECT_TRUE(Result.has_value());
  return Result.value_or(Traffic{});
}

double misses(const LevelTraffic &Traffic) { return Traffic.LoadMisses + Traffic.StoreMisses; }

AccessItem anywhere(AccessItem Item) {
  std::get<MemoryAccess>(Item.What).Offset.reset();
  return Item;
}

TEST(TrafficAnalysis, OneWalkFetchesEachLineOnce) {
  // 8000 bytes are 125 lines. Each is read, then written; all stay.
  auto Walk =
      analyze(program({object("a")}, {loop("i", "1000", {load(0, "8*i"), store(0, "8*i")})}));
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
  auto Walks =
      analyze(program({object("a")}, {loop("t", "10", {loop("i", "8192", {store(0, "8*i")})})}));
  EXPECT_EQ(Walks.Levels[0].StoreMisses, 10240);
  EXPECT_EQ(Walks.Levels[0].WriteBacks, 10240 - 512);
  EXPECT_EQ(Walks.Levels[1].StoreMisses, 1024);
  EXPECT_EQ(Walks.Levels[1].WriteBacks, 0);
}

TEST(TrafficAnalysis, SetsOfWhichOnlySomeHoldTooMuch) {
  // 528 lines: 16 of the 64 sets have 9 lines for their 8 ways, and lose all in each walk.
  auto Walks =
      analyze(program({object("a")}, {loop("t", "10", {loop("i", "4224", {load(0, "8*i")})})}));
  EXPECT_EQ(Walks.Levels[0].LoadMisses, 528 + 9 * (16 * 9));
}

TEST(TrafficAnalysis, PowerOfTwoStrides) {
  // A column of 16 lines, 4096 bytes apart, is all in one set of 8 ways.
  auto Column =
      analyze(program({object("a")}, {loop("t", "10", {loop("i", "16", {load(0, "4096*i")})})}));
  EXPECT_EQ(Column.Levels[0].LoadMisses, 160);
  // With 64 bytes more to a row they are in 16 sets.
  auto Padded =
      analyze(program({object("a")}, {loop("t", "10", {loop("i", "16", {load(0, "4160*i")})})}));
  EXPECT_EQ(Padded.Levels[0].LoadMisses, 16);
}

TEST(TrafficAnalysis, StencilKeepsThreeRowsOrNone) {
  // A row of n = 512 doubles is 64 lines: three of a and one of b fit 512 lines. Of a all
  // n rows, of b those without the first and the last.
  auto stencil = [](const std::string &N) {
    const std::string Row = "8*" + N, Position = Row + "*i+8*j";
    return program({object("a"), object("b")},
                   {loop("i", "62",
                         {loop("j", N + "-2",
                               {load(0, Position + "+8"), load(0, Position + "+" + Row),
                                load(0, Position + "+16+" + Row), load(0, Position + "+8+2*" + Row),
                                store(1, Position + "+8+" + Row)})})});
  };
  auto Narrow = analyze(stencil("512"));
  EXPECT_EQ(Narrow.Levels[0].LoadMisses, 64 * 64);
  EXPECT_EQ(Narrow.Levels[0].StoreMisses, 62 * 64);
  // Of n = 4096 a row is all that fits: each of 62 iterations fetches three.
  auto Wide = analyze(stencil("4096"));
  EXPECT_NEAR(Wide.Levels[0].LoadMisses, 62 * 3 * 512, 64);
  EXPECT_EQ(Wide.Levels[0].StoreMisses, 62 * 512);
  // The next level holds 3 · 512 + 512 of 4096 lines.
  EXPECT_EQ(Wide.Levels[1].LoadMisses, 64 * 512);
}

/// c[i][j] += a[i][k] · b[k][j] with loops in the order \p Order, each of \p N iterations.
AccessProgram product(const std::string &Order, const std::string &N) {
  const std::string Row = "8*" + N;
  std::vector<AccessItem> Items{load(0, Row + "*i+8*k"), load(1, Row + "*k+8*j"),
                                load(2, Row + "*i+8*j"), store(2, Row + "*i+8*j")};
  for (auto Position = Order.rbegin(); Position != Order.rend(); ++Position)
    Items = {loop(std::string(1, *Position), N, std::move(Items))};
  return program({object("a"), object("b"), object("c")}, std::move(Items));
}

TEST(TrafficAnalysis, MatrixProductThatFits) {
  // 3 · 32 · 32 doubles are 384 lines.
  for (const char *Order : {"ijk", "ikj", "jki"})
    EXPECT_EQ(misses(analyze(product(Order, "32")).Levels[0]), 384) << Order;
}

TEST(TrafficAnalysis, MatrixProductThatDoesNotFit) {
  // Of n = 136, a row is 17 lines and a matrix 2312. In the order i, k, j a row of a and one of
  // c stay while all of b goes by for each i. In the order i, j, k a column of b, 136 lines in
  // all sets alike, stays for the 8 columns that share its lines: the same.
  const double B = 136 * 2312, Once = 2312;
  EXPECT_NEAR(misses(analyze(product("ikj", "136")).Levels[0]), B + 2 * Once, 0.01 * B);
  EXPECT_NEAR(misses(analyze(product("ijk", "136")).Levels[0]), B + 2 * Once, 0.01 * B);
  // In the order j, k, i all of a goes by for each j, and a column of b with it; that of c is used
  // in each k, so the last one leaves it to the first one of the next j.
  EXPECT_NEAR(misses(analyze(product("jki", "136")).Levels[0]), B + 136 * 136 + Once, 0.03 * B);
}

TEST(TrafficAnalysis, NestsOfSixLoops) {
  // A product by blocks, the last ones smaller, done twice: deep inside few iterations are looked
  // at.
  AccessItem Inner = loop("j", "min(16,40-16*jj)",
                          {load(1, "320*l+5120*ll+8*j+128*jj"), load(2, "320*i+8*j+128*jj"),
                           store(2, "320*i+8*j+128*jj")});
  AccessItem Rows =
      loop("i", "40", {loop("l", "min(16,40-16*ll)", {load(0, "320*i+8*l+128*ll"), Inner})});
  const AccessProgram Program =
      program({object("a"), object("b"), object("c")},
              {loop("t", "2", {loop("jj", "3", {loop("ll", "3", {Rows})})})});
  const CacheHierarchy Small = {{"l1", 4 << 10, 64, 8}, {"l2", 16 << 10, 64, 8}};
  auto Simulated = simulateTraffic(Program, Small, placeObjects(Program));
  ASSERT_TRUE(Simulated);
  const Traffic Analyzed = analyze(Program, Small);
  for (std::size_t L = 0; L != 2; ++L)
    EXPECT_NEAR(misses(Analyzed.Levels[L]), misses(Simulated->Levels[L]),
                0.1 * misses(Simulated->Levels[L]));
}

TEST(TrafficAnalysis, TransposeOfManyRows) {
  // b[j][i] = a[i][j], 1000 rows: a column of b is 1000 lines, more than fit, so each store
  // misses; of a, each line once. 1000 lines of the column fit the next level.
  auto Transpose = analyze(program(
      {object("a"), object("b")},
      {loop("i", "1000", {loop("j", "1000", {load(0, "8000*i+8*j"), store(1, "8000*j+8*i")})})}));
  EXPECT_EQ(Transpose.Levels[0].LoadMisses, 125000);
  EXPECT_NEAR(Transpose.Levels[0].StoreMisses, 1000000, 1000);
  EXPECT_NEAR(Transpose.Levels[1].StoreMisses, 125000, 1250);
}

TEST(TrafficAnalysis, WhatOneNestLeavesForTheNext) {
  // 256 lines of a stay for the second walk; of 1024 none does that goes the same way, and those
  // 512 that were last where it goes back.
  auto twice = [](const std::string &N, const std::string &Second) {
    return program({object("a")},
                   {loop("i", N, {load(0, "8*i")}), loop("j", N, {load(0, Second)})});
  };
  EXPECT_EQ(misses(analyze(twice("2048", "8*j")).Levels[0]), 256);
  EXPECT_EQ(misses(analyze(twice("8192", "8*j")).Levels[0]), 2048);
  EXPECT_NEAR(misses(analyze(twice("8192", "65528-8*j")).Levels[0]), 1536, 130);
}

TEST(TrafficAnalysis, WhatWasTouchedLongAgo) {
  // a, b, and a again, of 1024 lines each: nothing of a is left in 512 lines.
  const auto Nests =
      program({object("a"), object("b")},
              {loop("i", "8192", {load(0, "8*i")}), loop("j", "8192", {load(1, "8*j")}),
               loop("k", "8192", {store(0, "8*k")}), loop("l", "8192", {load(1, "8*l")}),
               loop("m", "8192", {store(0, "8*m")})});
  const auto Found = analyze(Nests);
  EXPECT_EQ(misses(Found.Levels[0]), 5 * 1024);
  EXPECT_EQ(Found.Levels[0].WriteBacks, 1024 + 512);
  EXPECT_EQ(misses(Found.Levels[1]), 2 * 1024);
}

TEST(TrafficAnalysis, ManyLinesApart) {
  // Of each fourth line: all of them are fetched, each time.
  const auto Walks =
      program({object("a")}, {loop("t", "3", {loop("i", "100000", {load(0, "256*i")})})});
  EXPECT_EQ(misses(analyze(Walks).Levels[0]), 300000);
}

TEST(TrafficAnalysis, FiveStreamsOfOneSet) {
  // 8 sets of 4 ways. Five pages are read together from their starts on: each access finds its line
  // gone. A sixth place that stays is in the set of the others for 8 of 64 iterations.
  const CacheHierarchy Small = {{"l1", 2 << 10, 64, 4}};
  std::vector<AccessItem> Five;
  std::vector<MemoryObject> Objects;
  for (unsigned I = 0; I != 5; ++I) {
    Objects.push_back(object("a" + std::to_string(I)));
    Five.push_back(load(I, "8*i"));
  }
  EXPECT_EQ(misses(analyze(program(Objects, {loop("i", "64", Five)}), Small).Levels[0]), 5 * 64);
  // Four fit, but for the 8 iterations in which the place is the fifth: it is fetched in each of
  // them, and each line in all but the first of them again.
  Five[4] = load(4, "256");
  EXPECT_EQ(misses(analyze(program(Objects, {loop("i", "64", Five)}), Small).Levels[0]),
            (4 * 8 + 1) + 8 + 4 * 7);
}

TEST(TrafficAnalysis, TableThatIsGoneThroughAgain) {
  // 64 lines of a table, which hold 512 doubles, beside a stream of 512: of 32 nothing stays.
  const CacheHierarchy Small = {{"l1", 2 << 10, 64, 4}};
  auto Wraps = program({object("a"), object("b")},
                       {loop("i", "4096", {load(0, "8*i-4096*floor(i,512)"), load(1, "8*i")})});
  EXPECT_EQ(misses(analyze(Wraps, Small).Levels[0]), 8 * 64 + 512);
}

TEST(TrafficAnalysis, WalksThatMeet) {
  // From both ends of 1024 lines. Behind the middle, each of the two goes over what the other one
  // left, of which 512 lines are there: 256 to each side.
  auto Meet = program({object("a")}, {loop("i", "8192", {load(0, "8*i"), load(0, "65528-8*i")})});
  EXPECT_NEAR(misses(analyze(Meet).Levels[0]), 1024 + 2 * 256, 8);
}

TEST(TrafficAnalysis, LinesThatStayDirty) {
  // Of 513 lines, 171 of each array, sets of 8 ways have up to 9: only what was read first, and is
  // clean, has to leave.
  auto Triad = program({object("a"), object("b"), object("c")},
                       {loop("i", "1365", {load(0, "8*i"), load(1, "8*i"), store(2, "8*i")})});
  EXPECT_EQ(analyze(Triad).Levels[0].WriteBacks, 0);
}

TEST(TrafficAnalysis, UnknownPlaces) {
  // 10000 accesses anywhere in 512 lines, which fit: each line is met.
  MemoryObject Known = object("h");
  Known.Bytes = Expr(32 << 10);
  auto Small = analyze(program({Known}, {loop("i", "100000", {anywhere(load(0, "0"))})}));
  EXPECT_NEAR(Small.Levels[0].LoadMisses, 512, 1);
  EXPECT_THAT(Small.Assumptions, testing::ElementsAre(testing::HasSubstr("equally often")));
  // In 1024 lines every other one is there.
  Known.Bytes = Expr(64 << 10);
  auto Large = analyze(program({Known}, {loop("i", "100000", {anywhere(load(0, "0"))})}));
  EXPECT_NEAR(Large.Levels[0].LoadMisses, 50000, 1000);
  auto Unknown = analyze(program({object("h")}, {loop("i", "1000", {anywhere(load(0, "0"))})}));
  EXPECT_EQ(Unknown.Levels[0].LoadMisses, 1000);
  EXPECT_THAT(Unknown.Assumptions, testing::ElementsAre(testing::HasSubstr("all miss")));
}

TEST(TrafficAnalysis, StoresThatGoOn) {
  AccessItem Past = store(0, "8*i");
  std::get<MemoryAccess>(Past.What).NonTemporal = true;
  auto Streaming = analyze(program({object("a")}, {loop("i", "1000", {Past})}));
  EXPECT_EQ(misses(Streaming.Levels[0]), 0);
  EXPECT_EQ(Streaming.Levels[1].Bypassed, 8000);
  CacheHierarchy Through = TwoLevels;
  Through[0].WriteThrough = true;
  auto Written = analyze(program({object("a")}, {loop("i", "1000", {store(0, "8*i")})}), Through);
  EXPECT_EQ(Written.Levels[0].StoreMisses, 125);
  EXPECT_EQ(Written.Levels[0].Bypassed, 8000);
  EXPECT_EQ(Written.Levels[0].WriteBacks, 0);
  EXPECT_EQ(Written.Levels[1].Stores, 1000);
  EXPECT_EQ(Written.Levels[1].StoreMisses, 125);
  // Without a line for them, each goes on.
  Through[0] = {"l1", 32 << 10, 64, 8, false, false};
  auto Around = analyze(program({object("a")}, {loop("i", "1000", {store(0, "8*i")})}), Through);
  EXPECT_EQ(misses(Around.Levels[0]), 0);
  EXPECT_EQ(Around.Levels[0].WriteBacks, 0);
  EXPECT_EQ(Around.Levels[0].Bypassed, 8000);
  EXPECT_EQ(Around.Levels[1].Stores, 1000);
}

TEST(TrafficAnalysis, NoTripNoTraffic) {
  auto Nothing = analyze(program({object("a")}, {loop("i", "0", {store(0, "8*i")})}));
  EXPECT_EQ(Nothing.Levels[0].Stores, 0);
  EXPECT_EQ(misses(Nothing.Levels[0]), 0);
  EXPECT_EQ(Nothing.Levels[0].WriteBacks, 0);
}

TEST(TrafficAnalysis, CountsOfTriangles) {
  // Σ i over i < 1000, and Σ i·(i + 1)/2.
  auto Half =
      analyze(program({object("a")}, {loop("i", "1000", {loop("j", "i", {load(0, "8*j")})})}));
  EXPECT_EQ(Half.Levels[0].Loads, 499500);
  auto Sixth = analyze(program(
      {object("a")}, {loop("i", "100", {loop("j", "i+1", {loop("k", "j", {load(0, "8*k")})})})}));
  EXPECT_EQ(Sixth.Levels[0].Loads, 166650);
}

TEST(TrafficAnalysis, EveryFourthIteration) {
  // i mod 4 = 2, of 513 and of 100000 iterations: the lines are all touched.
  const std::string IsTwo = "[i-4*floor(i,4)-2]*[2-i+4*floor(i,4)]";
  auto every = [&](const std::string &Trips) {
    return analyze(program({object("a")},
                           {loop("i", Trips, {access(Access::Kind::Load, 0, "8*i", 8, IsTwo)})}));
  };
  EXPECT_EQ(every("513").Levels[0].Loads, 128);
  EXPECT_EQ(every("513").Levels[0].LoadMisses, 64);
  EXPECT_NEAR(every("100000").Levels[0].Loads, 25000, 1);
}

TEST(TrafficAnalysis, QuotientsAndRemainders) {
  // a[i/2], a[i/3], a[5i/4] and a[i - i%2] over 10^8 iterations: 8 bytes for each place.
  auto walk = [&](const std::string &Offset, const std::string &Trips = "10^8") {
    return misses(analyze(program({object("a")}, {loop("i", Trips, {load(0, Offset)})})).Levels[0]);
  };
  EXPECT_EQ(walk("8*floor(i,2)"), 1e8 / 2 / 8);
  EXPECT_EQ(walk("8*floor(i,3)"), 4166667); // of 33333334 places
  EXPECT_EQ(walk("8*floor(5*i,4)"), 1e8 * 5 / 4 / 8);
  EXPECT_EQ(walk("16*floor(i,2)"), 1e8 / 8);
  // 7 doubles, and a line for each of 7.
  EXPECT_EQ(walk("8*i-56*floor(i,7)"), 1);
  EXPECT_EQ(walk("64*i-448*floor(i,7)"), 7);
  // Rows of 1003 doubles, of which 1000 are read, from one number.
  EXPECT_NEAR(walk("8024*floor(i,1000)+8*i-8000*floor(i,1000)"), 1e5 * 8024 / 64, 1e5);
  // Each third of 300000 rows.
  auto Thirds = analyze(program(
      {object("a")},
      {loop("i", "300000", {access(Access::Kind::Load, 0, "640*i", 8, "[3*floor(i,3)-i]")})}));
  EXPECT_EQ(misses(Thirds.Levels[0]), 100000);
  // Two dimensions, a[i/2][j/2] of 2000 by 2000: lines of half a row are read in two rows.
  auto Halves = analyze(program(
      {object("a")},
      {loop("i", "4000", {loop("j", "4000", {load(0, "16000*floor(i,2)+8*floor(j,2)")})})}));
  EXPECT_NEAR(misses(Halves.Levels[1]), 2000 * 2000 / 8, 2000);
}

TEST(TrafficAnalysis, PlacesThatNobodyCanFollow) {
  // a[i·j] over 16 million pairs: an answer in a bounded time, that may be off by all.
  auto Product =
      analyze(program({object("a")}, {loop("i", "4000", {loop("j", "4000", {load(0, "8*i*j")})})}));
  ASSERT_EQ(Product.Doubts.size(), 2u);
  EXPECT_EQ(Product.Levels[0].Loads, 16e6);
  EXPECT_EQ(misses(Product.Levels[0]) + Product.Doubts[0].More, 16e6);
  EXPECT_THAT(Product.Assumptions, testing::Contains(testing::HasSubstr("too many to look at")));
}

TEST(TrafficAnalysis, DiagonalsOfAMatrix) {
  // Row k and column k of 100 rows of 100 doubles, from the diagonal on: all 1250 lines.
  auto Program = program(
      {object("a")},
      {loop("k", "100", {loop("i", "100-k", {load(0, "808*k+800*i"), load(0, "808*k+8*i")})})});
  const CacheHierarchy Large = {{"l1", 1 << 20, 64, 16}};
  EXPECT_EQ(analyze(Program, Large).Levels[0].LoadMisses, 1250);
  EXPECT_EQ(analyze(Program, Large).Levels[0].Loads, 10100);
}

TEST(TrafficAnalysis, WhatMakesNoSense) {
  auto Program = program({object("a")}, {loop("i", "n", {load(0, "8*i")})});
  Program.Unbound.insert("n");
  auto Unbound = analyzeTraffic(Program, TwoLevels, {4096});
  ASSERT_FALSE(Unbound);
  EXPECT_EQ(Unbound.error().What, "`n` has no value");
  Program = program({object("a")}, {loop("i", "10^12", {load(0, "10^6*i")})});
  auto Far = analyzeTraffic(Program, TwoLevels, {4096});
  ASSERT_FALSE(Far);
  EXPECT_THAT(Far.error().What, testing::HasSubstr("beyond what can be addressed"));
  EXPECT_FALSE(analyzeTraffic(program({}, {}), {}, {}));
  EXPECT_EQ(misses(analyze(program({}, {})).Levels[1]), 0);
}

/// Nests of up to three loops and their sequences, over matrices, of which some are triangular,
/// some walk columns, and some go on to the next row or column.
class AnyProgram {
public:
  explicit AnyProgram(unsigned Seed) : Draw(Seed) {}

  AccessProgram make() {
    std::vector<AccessItem> Nests;
    for (unsigned I = 0, Count = 1 + below(2); I != Count; ++I)
      Nests.push_back(nest(std::to_string(I)));
    if (below(2))
      Nests = {loop("t", std::to_string(2 + below(6)), std::move(Nests))};
    return program({object("a"), object("b"), object("c")}, std::move(Nests));
  }

private:
  std::mt19937 Draw;

  unsigned below(unsigned Limit) { return unsigned(Draw() % Limit); }

  AccessItem nest(const std::string &Name) {
    const unsigned Rows = 4 + below(40), Columns = 4 + below(40), Width = 48 + 8 * below(3);
    const std::string I = "i" + Name, J = "j" + Name, K = "k" + Name;
    std::vector<AccessItem> Items;
    const bool HasInner = below(2);
    for (unsigned A = 0, Count = 1 + below(3); A != Count; ++A) {
      const std::string &Row = below(3) ? I : HasInner ? K : J;
      const std::string &Column = HasInner && below(2) ? K : below(3) ? J : I;
      const std::string Position = std::to_string(8 * Width) + "*(" + Row + "+" +
                                   std::to_string(below(2)) + ")+8*(" + Column + "+" +
                                   std::to_string(below(2)) + ")";
      Items.push_back(below(3) ? load(below(3), Position) : store(below(3), Position));
    }
    if (HasInner)
      Items = {loop(K, std::to_string(4 + below(40)), std::move(Items))};
    const std::string Trips = below(3) ? std::to_string(Columns) : I + "+1";
    return loop(I, std::to_string(Rows), {loop(J, Trips, std::move(Items))});
  }
};

/// So many times the items that \p Of makes of a number, one after the other.
std::vector<AccessItem> times(std::size_t Count, auto Of) {
  std::vector<AccessItem> Result;
  for (std::size_t I = 0; I != Count; ++I)
    Result.push_back(Of(std::to_string(I)));
  return Result;
}

TEST(TrafficAnalysis, ManyWalksOverMoreThanFits) {
  // As in WalksAgainOverMoreThanFits, with 1200 walks in the text in the place of a loop: LRU
  // leaves nothing of 1024 lines where 512 fit. The last 512 stay dirty.
  auto Walks = analyze(program({object("a")}, times(1200, [](const std::string &Number) {
                                 return loop("i" + Number, "8192", {store(0, "8*i" + Number)});
                               })));
  ASSERT_EQ(Walks.Doubts.size(), 2u);
  const LevelTraffic &Near = Walks.Levels[0];
  EXPECT_LE(Near.StoreMisses - Walks.Doubts[0].Fewer, 1200 * 1024);
  EXPECT_GE(Near.StoreMisses + Walks.Doubts[0].More, 1200 * 1024);
  EXPECT_EQ(Near.StoreMisses, 1200 * 1024);
  EXPECT_NEAR(Near.WriteBacks, 1200 * 1024 - 512, 512);
  EXPECT_EQ(Walks.Levels[1].StoreMisses, 1024); // which has 4096
  EXPECT_EQ(Walks.Doubts[1].More, 0);
}

TEST(TrafficAnalysis, ManyProductsOfMatrices) {
  // Two kinds of 400 matrix products, in turn: the interval has what the simulation finds, and what
  // is analysed again for each product is what is analysed once for each kind.
  const auto Many = times(400, [](const std::string &Number) {
    const std::string I = "i" + Number, J = "j" + Number, K = "k" + Number;
    const std::string Rows = std::stoi(Number) % 2 ? "24" : "40";
    return loop(
        I, Rows,
        {loop(J, "40",
              {loop(K, "40", {load(0, "320*" + I + "+8*" + K), load(1, "320*" + K + "+8*" + J)}),
               store(2, "320*" + I + "+8*" + J)})});
  });
  const AccessProgram Products = program({object("a"), object("b"), object("c")}, Many);
  const Traffic Found = analyze(Products);
  const auto Simulated = simulateTraffic(Products, TwoLevels, placeObjects(Products));
  ASSERT_TRUE(Simulated.has_value());
  ASSERT_EQ(Found.Doubts.size(), 2u);
  for (std::size_t L = 0; L != 2; ++L) {
    EXPECT_LE(misses(Found.Levels[L]) - Found.Doubts[L].Fewer, misses(Simulated->Levels[L]));
    EXPECT_GE(misses(Found.Levels[L]) + Found.Doubts[L].More, misses(Simulated->Levels[L]));
  }
}

TEST(TrafficAnalysis, AgreesWithTheSimulation) {
  // 32 lines in 8 sets and 128 in 16.
  const CacheHierarchy Small = {{"l1", 2 << 10, 64, 4}, {"l2", 8 << 10, 64, 8}};
  std::vector<double> Misses, Bytes;
  for (unsigned Seed = 0; Seed != 300; ++Seed) {
    const AccessProgram Program = AnyProgram(Seed).make();
    const Placement P = placeObjects(Program);
    auto Analyzed = analyzeTraffic(Program, Small, P),
         Simulated = simulateTraffic(Program, Small, P);
    ASSERT_TRUE(Analyzed && Simulated);
    for (std::size_t L = 0; L != 2; ++L) {
      const LevelTraffic &Traffic = Analyzed->Levels[L], &Other = Simulated->Levels[L];
      if (L == 0) {
        EXPECT_NEAR(Traffic.Loads, Other.Loads, 1e-6 * Other.Loads) << Seed;
        EXPECT_NEAR(Traffic.Stores, Other.Stores, 1e-6 * Other.Stores) << Seed;
      }
      Misses.push_back(std::abs(misses(Traffic) / misses(Other) - 1));
      Bytes.push_back(std::abs(Traffic.bytes(Small[L]) / Other.bytes(Small[L]) - 1));
    }
  }
  for (std::vector<double> *Errors : {&Misses, &Bytes}) {
    std::ranges::sort(*Errors);
    EXPECT_LE((*Errors)[Errors->size() / 2], 0.01);
    EXPECT_LE((*Errors)[Errors->size() * 9 / 10], 0.15);
    // What is left are sets that are just full.
    EXPECT_LE((*Errors)[Errors->size() * 97 / 100], 0.5);
  }
}

} // namespace
