//===- ScatteredLinesTest.cpp - accesses to lines far apart ---------------===//
//
// Too many lines apart from each other to look at each: an answer in a bounded time, whose interval
// holds. Each line here is touched once, or evicted before it is touched again, so each access
// misses.
//
//===----------------------------------------------------------------------===//

#include "test/support/AccessPrograms.h"

#include "model/traffic/Traffic.h"

#include <gmock/gmock.h>

using namespace ergon;
using namespace ergon::accesses;

namespace {

void expectAllMiss(const AccessProgram &Program, double Accesses) {
  const CacheHierarchy Levels = {{"l1", 32 << 10, 64, 8}, {"l2", 256 << 10, 64, 16}};
  auto Found = analyzeTraffic(Program, Levels, placeObjects(Program));
  ASSERT_TRUE(Found.has_value());
  ASSERT_EQ(Found->Doubts.size(), 2U);
  for (std::size_t L = 0; L != 2; ++L) {
    const double Misses = Found->Levels[L].LoadMisses;
    EXPECT_EQ(Found->Levels[0].Loads, Accesses);
    EXPECT_LE(Misses - Found->Doubts[L].Fewer, Accesses);
    EXPECT_GE(Misses, 0.5 * Accesses);
    EXPECT_GE(Misses + Found->Doubts[L].More, 0.9999 * Accesses);
  }
  EXPECT_THAT(Found->Assumptions, testing::Contains(testing::HasSubstr("apart from each other")));
}

TEST(ScatteredLines, OfOneAccess) {
  expectAllMiss(program({object("a")},
                        {loop("i", "3000", {loop("j", "3000", {load(0, "1920000*i+640*j")})})}),
                9e6);
}

TEST(ScatteredLines, OfManyTogether) {
  std::vector<MemoryObject> Objects;
  std::vector<AccessItem> Items;
  for (unsigned Number = 0; Number != 60; ++Number) {
    Objects.push_back(object("a" + std::to_string(Number)));
    Items.push_back(loop("i", "200000", {load(Number, "6400*i")}));
  }
  expectAllMiss(program(std::move(Objects), {loop("t", "2", std::move(Items))}), 2.4e7);
}

} // namespace
