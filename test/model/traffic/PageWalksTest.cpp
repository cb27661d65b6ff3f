//===- PageWalksTest.cpp - looking up where pages are ---------------------===//

#include "model/traffic/PageWalks.h"
#include "model/incore/ProgramTime.h"
#include "test/support/AccessPrograms.h"
#include "test/support/MeasuredQuantities.h"

#include <gmock/gmock.h>

using namespace ergon;
using namespace ergon::accesses;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

/// Between 2048 and 4096 pages are known, and it takes 4 ns to look up another; 1 ns more of more
/// than 6144.
static std::vector<PipelineTranslation> steps() {
  return {{512, measured(1e-9)},
          {2048, measured(1.02e-9)},
          {4096, measured(5e-9)},
          {8192, measured(6e-9)}};
}

/// Eight columns of so many rows, of three pages each.
static AccessProgram columns(const std::string &Rows) {
  return program({object("a")}, {loop("c", "8", {loop("r", Rows, {load(0, "12288*r + 8*c")})})});
}

static auto walksOf(const AccessProgram &Program, std::vector<PipelineTranslation> Measured) {
  auto Result = pageWalks(Program, placeObjects(Program), Measured, true);
  EXPECT_TRUE(Result) << (Result ? "" : Result.error().What);
  return Result.value_or(std::vector<PageWalks>());
}

TEST(PageWalks, ColumnsOfMorePagesThanAreKnown) {
  const auto Found = walksOf(columns("3500"), steps());
  ASSERT_THAT(Found, ElementsAre(Field(&PageWalks::Times, DoubleEq(8 * 3500))));
  // Of the run before nothing is left, as the object has more than 6144 pages: each is new once.
  EXPECT_THAT(Found[0].S, DoubleEq(8 * 3500 * 4e-9 + 3500 * 1e-9));
  // More than both steps: each takes 5 ns.
  EXPECT_THAT(walksOf(columns("7000"), steps())[0].S, DoubleEq(8 * 7000 * 5e-9));
}

TEST(PageWalks, KnownPagesAreLookedUpOnce) {
  EXPECT_THAT(walksOf(columns("2000"), steps()),
              ElementsAre(Field(&PageWalks::Times, DoubleEq(2000))));
  EXPECT_THAT(walksOf(columns("600"), steps()), IsEmpty());
}

TEST(PageWalks, WhereNothingWasMeasuredNothingIsSaid) {
  EXPECT_THAT(walksOf(columns("5000"), {}), IsEmpty());
  // Large pages: all are known.
  EXPECT_THAT(walksOf(columns("5000"), {{512, measured(1e-9)}, {8192, measured(1.05e-9)}}),
              IsEmpty());
}

TEST(PageWalks, TheyComeBeforeTheData) {
  // 80 loads of lines that the second cache has, 2 ns each, of as many pages: 2.5 ns more. Stores
  // are looked up while others wait.
  const auto TimeOf = [](AccessItem Access) {
    const AccessProgram Program = program({object("a")}, {loop("i", "80", {Access})});
    Pipeline P;
    P.Streams = {{"l2", "load", 256, 1, measured(32e9)}, {"l2", "store", 256, 1, measured(32e9)}};
    TrafficReport Moved{};
    Moved.Through = {{"l1", 32768, 64, 8}, {"l2", 1048576, 64, 8}};
    Moved.Accesses = {{LevelTraffic{.LoadMisses = 80}, LevelTraffic{}}};
    auto Result = timeOf(Program, Moved, P, 1, {{80, 200e-9}});
    EXPECT_TRUE(Result);
    return Result.value_or(ProgramTime());
  };
  EXPECT_THAT(TimeOf(load(0, "12288*i")).TimeS, DoubleEq(160e-9 + 200e-9));
  EXPECT_THAT(TimeOf(store(0, "12288*i")).TimeS, DoubleEq(200e-9));
  EXPECT_EQ(TimeOf(store(0, "12288*i")).Bound, "translation");
  // What comes in order was measured with its pages.
  EXPECT_THAT(TimeOf(load(0, "8*i")).TimeS, DoubleEq(160e-9));
}
