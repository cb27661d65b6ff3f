//===- LineSetTest.cpp - sets of cache lines ------------------------------===//

#include "model/LineSet.h"

#include <gtest/gtest.h>

using namespace ergon;

namespace {

LineSet lines(std::initializer_list<LineRange> Of) {
  LineSet Made;
  for (const LineRange &Each : Of)
    Made.add(Each);
  Made.normalize();
  return Made;
}

TEST(LineSet, JoinsCutsAndCounts) {
  LineSet Some = lines({{8, 10}, {0, 4}, {4, 6}});
  const LineSet Other = lines({{5, 9}});
  EXPECT_EQ(Some.ranges(), (std::vector<LineRange>{{0, 6}, {8, 10}}));
  EXPECT_EQ(Some.count(), 8);
  EXPECT_EQ((Some & Other).ranges(), (std::vector<LineRange>{{5, 6}, {8, 9}}));
  Some -= Other;
  EXPECT_EQ(Some.ranges(), (std::vector<LineRange>{{0, 5}, {9, 10}}));
  Some |= Other;
  EXPECT_EQ(Some.ranges(), (std::vector<LineRange>{{0, 10}}));
}

TEST(LineSet, LinesOfEachSet) {
  // Lines 3 to 12 in 4 sets: 4, 8 and 12; 5 and 9; 6 and 10; 3, 7 and 11.
  const LineSet Lines = lines({{3, 13}});
  SetLoad Load(Lines, 4);
  EXPECT_EQ(Load.loads(), (std::vector<std::int64_t>{3, 2, 2, 3}));
  EXPECT_EQ(Load.beyond(2, Lines).ranges(), (std::vector<LineRange>{{3, 5}, {7, 9}, {11, 13}}));
  EXPECT_TRUE(plainlyFits(Lines, 4, 3));
  EXPECT_FALSE(plainlyFits(Lines, 4, 2));
}

} // namespace
