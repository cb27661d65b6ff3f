//===- TrafficSamplingTest.cpp - a part of the accesses for all -----------===//
//
// Traffic from a tenth of the accesses, or less, against traffic from all of them.
//
//===----------------------------------------------------------------------===//

#include "model/traffic/TrafficSimulation.h"
#include "test/support/AccessPrograms.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

using namespace ergon;
using namespace ergon::accesses;

static constexpr long N = 150;

/// Row and column of a matrix of doubles.
static std::string place(const std::string &I, const std::string &J, long Columns) {
  return std::to_string(8 * Columns) + "*(" + I + ")+8*(" + J + ")";
}
static std::string at(const std::string &I, const std::string &J) { return place(I, J, N); }
static std::string upTo(long Trips) { return std::to_string(Trips); }

static AccessProgram product(const std::string &Order) {
  std::vector<AccessItem> Body = {load(0, at("i", "k")), load(1, at("k", "j")),
                                  load(2, at("i", "j")), store(2, at("i", "j"))};
  for (auto Position = Order.rbegin(); Position != Order.rend(); ++Position)
    Body = {loop(std::string(1, *Position), upTo(N), std::move(Body))};
  return program({object("a"), object("b"), object("c")}, std::move(Body));
}

static AccessProgram tiledProduct() {
  constexpr long M = 250; // the last tile of a row is cut
  auto at = [](const std::string &I, const std::string &J) { return place(I, J, M); };
  const std::string Tiles = upTo((M + 15) / 16);
  auto Trips = [&](const std::string &Tile) { return "min(16," + upTo(M) + "-16*" + Tile + ")"; };
  std::vector<AccessItem> Body = {load(0, at("16*ti+i", "16*tk+k")),
                                  load(1, at("16*tk+k", "16*tj+j")),
                                  store(2, at("16*ti+i", "16*tj+j"))};
  for (const char *Name : {"j", "k", "i"})
    Body = {loop(Name, Trips(std::string("t") + Name), std::move(Body))};
  for (const char *C : {"tk", "tj", "ti"})
    Body = {loop(C, Tiles, std::move(Body))};
  return program({object("a"), object("b"), object("c")}, std::move(Body));
}

static AccessProgram cholesky() {
  constexpr long M = 300;
  auto at = [](const std::string &I, const std::string &J) { return place(I, J, M); };
  return program({object("a")},
                 {loop("i", upTo(M),
                       {loop("j", "i",
                             {load(0, at("i", "j")),
                              loop("k", "j", {load(0, at("i", "k")), load(0, at("j", "k"))}),
                              load(0, at("j", "j")), store(0, at("i", "j"))}),
                        loop("l", "i", {load(0, at("i", "l"))}), store(0, at("i", "i"))})});
}

static AccessProgram elimination() {
  constexpr long M = 300;
  auto at = [](const std::string &I, const std::string &J) { return place(I, J, M); };
  const std::string Rest = upTo(M - 1) + "-k";
  return program({object("a")},
                 {loop("k", upTo(M - 1),
                       {loop("i", Rest,
                             {load(0, at("i+k+1", "k")), store(0, at("i+k+1", "k")),
                              loop("j", Rest,
                                   {load(0, at("k", "j+k+1")), load(0, at("i+k+1", "j+k+1")),
                                    store(0, at("i+k+1", "j+k+1"))})})})});
}

static AccessProgram stencil() {
  auto Sweep = [](const std::string &I, const std::string &J, unsigned From, unsigned To) {
    return loop(I, upTo(N - 2),
                {loop(J, upTo(N - 2),
                      {load(From, at(I + "+1", J + "+1")), load(From, at(I + "+1", J)),
                       load(From, at(I + "+1", J + "+2")), load(From, at(I, J + "+1")),
                       load(From, at(I + "+2", J + "+1")), store(To, at(I + "+1", J + "+1"))})});
  };
  return program({object("a"), object("b")},
                 {loop("t", "100", {Sweep("i", "j", 0, 1), Sweep("k", "l", 1, 0)})});
}

static AccessProgram transposedProducts() {
  const long M = 900;
  return program(
      {object("a"), object("x"), object("y"), object("tmp")},
      {loop("i", upTo(M),
            {store(3, "8*i"), loop("j", upTo(M), {load(0, place("i", "j", M)), load(1, "8*j")}),
             loop("k", upTo(M),
                  {load(2, "8*k"), load(0, place("i", "k", M)), load(3, "8*i"), store(2, "8*k")})}),
       loop("l", upTo(M),
            {loop("m", upTo(M), {load(0, place("m", "l", M)), load(1, "8*m")}), store(2, "8*l")})});
}

static CacheHierarchy threeLevels() {
  return {
      {.Name = "l1", .Bytes = 4096, .LineBytes = 64, .Ways = 8},
      {.Name = "l2", .Bytes = 32768, .LineBytes = 64, .Ways = 8},
      {.Name = "l3", .Bytes = 131072, .LineBytes = 64, .Ways = 16},
  };
}

static double linesOf(const LevelTraffic &Traffic) {
  return Traffic.LoadMisses + Traffic.StoreMisses + Traffic.WriteBacks;
}
static bool isWithin(const Traffic &Part, const Traffic &All, std::size_t Level) {
  // Less than a thousandth is nobody's concern.
  const double Lines = linesOf(All.Levels[Level]);
  return std::abs(linesOf(Part.Levels[Level]) - Lines) <= Part.Doubts[Level].Fewer + Lines / 1000;
}

TEST(SampledTraffic, IsThatOfAll) {
  // Matrices are larger than l2 or fit into l3; rows fit into l1, columns do not.
  const CacheHierarchy Through = threeLevels();
  std::vector<double> Errors;
  auto Compare = [&](const std::string &Name, const AccessProgram &Program) {
    const Placement P = placeObjects(Program);
    auto All = simulateTraffic(Program, Through, P, 1e18);
    ASSERT_TRUE(All) << All.error().What;
    EXPECT_TRUE(All->IsComplete);
    const double Accesses = All->Levels[0].Loads + All->Levels[0].Stores;
    auto Part = simulateTraffic(Program, Through, P, Accesses / 10);
    ASSERT_TRUE(Part) << Part.error().What;
    EXPECT_FALSE(Part->IsComplete) << Name;
    EXPECT_FALSE(Part->Assumptions.empty());
    for (std::size_t I = 0; I != Through.size(); ++I) {
      const double Lines = All->Levels[I].bytes(Through[I]);
      const double Error = std::abs(Part->Levels[I].bytes(Through[I]) / Lines - 1);
      EXPECT_TRUE(isWithin(*Part, *All, I)) << Name << ", " << Through[I].Name;
      EXPECT_LE(Error, 0.05) << Name << ", " << Through[I].Name << ": " << Lines << " bytes";
      Errors.push_back(Error);
    }
  };
  Compare("ijk", product("ijk"));
  Compare("ikj", product("ikj"));
  Compare("jki", product("jki"));
  Compare("tiled", tiledProduct());
  Compare("cholesky", cholesky());
  Compare("elimination", elimination());
  Compare("stencil", stencil());
  Compare("transposed", transposedProducts());
  std::ranges::sort(Errors);
  EXPECT_LE(Errors[Errors.size() / 2], 0.01);
}

/// Each of M iterations goes again over the lines of all before: from some iteration on they do
/// not fit a level any more, and all that hit before misses.
static AccessProgram growing(long M, long Step, const std::string &Lines = "i+1") {
  return program(
      {object("a"), object("y")},
      {loop("i", upTo(M), {loop("j", Lines, {load(0, upTo(Step) + "*j")}), store(1, "8*i")})});
}
static AccessProgram triangular(long M) {
  auto at = [&](const std::string &I, const std::string &J) { return place(I, J, M); };
  return program(
      {object("a"), object("b")},
      {loop("i", upTo(M),
            {loop("j", "i+1",
                  {loop("k", "i-j+1", {load(0, at("i", "k+j")), load(0, at("k+j", "j"))}),
                   store(1, at("i", "j"))})})});
}

TEST(SampledTraffic, LiesInItsInterval) {
  // Levels of 64, 512 and 2048 lines, which the iterations outgrow somewhere between the first one
  // and the last one.
  std::vector<double> Widths;
  std::size_t Limit = 0;
  auto Compare = [&](const AccessProgram &Program) {
    const Placement P = placeObjects(Program);
    auto All = simulateTraffic(Program, threeLevels(), P, 1e18);
    ASSERT_TRUE(All) << All.error().What;
    const double Accesses = All->Levels[0].Loads + All->Levels[0].Stores;
    for (double Part : {10, 30}) {
      auto Some = simulateTraffic(Program, threeLevels(), P, Accesses / Part);
      ASSERT_TRUE(Some) << Some.error().What;
      EXPECT_THAT(Some->Assumptions, testing::Contains(testing::HasSubstr("to within")));
      for (std::size_t I = 0; I != All->Levels.size(); ++I) {
        EXPECT_EQ(All->Doubts[I].Fewer, 0);
        Limit += isWithin(*Some, *All, I);
        Widths.push_back(Some->Doubts[I].Fewer / linesOf(Some->Levels[I]));
      }
    }
  };
  for (long M : {600, 900, 2100, 3000})
    Compare(growing(M, 64));
  Compare(growing(900, 64, "900-i"));
  Compare(growing(6000, 8));
  Compare(triangular(250));
  EXPECT_GE(Limit, Widths.size() * 9 / 10);
  std::ranges::sort(Widths);
  EXPECT_LE(Widths[Widths.size() / 2], 0.1);
}

TEST(SampledTraffic, DoesNotGrowWithTheProgram) {
  const CacheHierarchy Through = {{.Name = "l1", .Bytes = 32768, .LineBytes = 64, .Ways = 8}};
  // Two streams of 8e12 bytes, each line of which is met once.
  auto Program = program({object("a"), object("b")},
                         {loop("i", "1000000000000", {load(0, "8*i"), store(1, "8*i")})});
  auto Found = simulateTraffic(Program, Through, placeObjects(Program), 1e6);
  ASSERT_TRUE(Found) << Found.error().What;
  EXPECT_NEAR(Found->Levels[0].LoadMisses, 1e12 / 8, 1e9);
  EXPECT_NEAR(Found->Levels[0].WriteBacks, 1e12 / 8, 1e9);
}

TEST(SampledTraffic, DoesNotGrowWithTheDepthOfLoops) {
  // 30 iterations of each of ten loops, and two of each of forty: 6e14 and 1e12 iterations.
  const CacheHierarchy Through = {{.Name = "l1", .Bytes = 32768, .LineBytes = 64, .Ways = 8}};
  for (auto [Depth, Trips] : {std::pair(10, 30L), std::pair(40, 2L)}) {
    std::vector<AccessItem> Body = {load(0, "8*v0+64*v1")};
    for (int I = Depth - 1; I >= 0; --I)
      Body = {loop("v" + std::to_string(I), upTo(Trips), std::move(Body))};
    auto Program = program({object("a")}, std::move(Body));
    auto Found = simulateTraffic(Program, Through, placeObjects(Program), 1e6);
    if (!Found) { // what was run cannot stand for all, and nobody is told that nothing misses
      EXPECT_THAT(Found.error().What, testing::HasSubstr("too long for the simulation"));
      continue;
    }
    EXPECT_NEAR(Found->Levels[0].Loads / std::pow(Trips, Depth), 1, 0.01);
    EXPECT_GT(Found->Levels[0].LoadMisses, 0);
  }
}
