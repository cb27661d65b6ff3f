//===- LineSetTest.cpp - sets of cache lines ------------------------------===//

#include "model/access/LineSet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace ergon;

namespace {

LineSet lines(std::vector<LineRange> LineRanges) { return LineSet(LineRanges); }

TEST(LineSet, JoinsCutsAndCounts) {
  LineSet Some = lines({{8, 10}, {0, 4}, {4, 6}});
  const LineSet Other = lines({{5, 9}});
  EXPECT_EQ(Some, lines({{0, 6}, {8, 10}}));
  EXPECT_EQ(Some.count(), 8);
  EXPECT_EQ(Some & Other, lines({{5, 6}, {8, 9}}));
  Some -= Other;
  EXPECT_EQ(Some, lines({{0, 5}, {9, 10}}));
  Some |= Other;
  EXPECT_EQ(Some, lines({{0, 10}}));
}

TEST(LineSet, LinesOfEachSet) {
  // Lines 3 to 12 in 4 sets: 4, 8 and 12; 5 and 9; 6 and 10; 3, 7 and 11.
  const LineSet Lines = lines({{3, 13}});
  EXPECT_EQ(CrowdedSets(Lines, 4, 2).linesOf(Lines), lines({{3, 5}, {7, 9}, {11, 13}}));
  EXPECT_TRUE(CrowdedSets(Lines, 4, 1).all());
  EXPECT_TRUE(CrowdedSets(Lines, 4, 3).none());
  EXPECT_TRUE(plainlyFits(Lines, 4, 3));
  EXPECT_FALSE(plainlyFits(Lines, 4, 2));
}

/// What sets of words say, against lines one by one.
class ManyLines : public ::testing::TestWithParam<int> {
protected:
  std::mt19937_64 Random{std::uint64_t(GetParam())};
  std::int64_t below(std::int64_t End) { return std::int64_t(Random() % std::uint64_t(End)); }

  /// Rows, columns and points around line 0.
  std::vector<LineRange> ranges() {
    std::vector<LineRange> Result;
    for (std::int64_t Left = 1 + below(5); Left != 0; --Left) {
      const std::int64_t Step = below(200) - 100, Length = 1 + below(below(4) == 0 ? 900 : 20);
      std::int64_t First = below(1200) - 600;
      for (std::int64_t Count = 1 + below(20); Count != 0; --Count, First += Step)
        Result.push_back({First, First + Length});
    }
    return Result;
  }
  static std::set<std::int64_t> oneByOne(const std::vector<LineRange> &LineRanges) {
    std::set<std::int64_t> Result;
    for (const LineRange &Range : LineRanges)
      for (std::int64_t Line = Range.First; Line != Range.End; ++Line)
        Result.insert(Line);
    return Result;
  }
  static LineSet together(const std::set<std::int64_t> &Values) {
    std::vector<LineRange> Result;
    for (std::int64_t Line : Values)
      Result.push_back({Line, Line + 1});
    return LineSet(Result);
  }
};

TEST_P(ManyLines, AreAsOneByOne) {
  const auto Ranges = ranges(), Others = ranges();
  const auto Values = oneByOne(Ranges), Other = oneByOne(Others);
  const LineSet Left = lines(Ranges), Right = lines(Others);
  std::set<std::int64_t> Either, V, Only;
  std::ranges::set_union(Values, Other, std::inserter(Either, Either.end()));
  std::ranges::set_intersection(Values, Other, std::inserter(V, V.end()));
  std::ranges::set_difference(Values, Other, std::inserter(Only, Only.end()));
  EXPECT_EQ(Left.count(), std::ssize(Values));
  EXPECT_EQ(Left.hull().First, *Values.begin());
  EXPECT_EQ(Left.hull().End, *Values.rbegin() + 1);
  EXPECT_EQ(LineSet(Left) |= Right, together(Either));
  EXPECT_EQ(Left & Right, together(V));
  EXPECT_EQ(LineSet(Left) -= Right, together(Only));
  LineSet Rest = Left;
  EXPECT_EQ(Rest.take(Right), std::ssize(V));
  EXPECT_EQ(Rest, together(Only));

  for (std::int64_t Sets : {1, 3, 16, 60, 64, 91, 128, 192, 1024}) {
    std::map<std::int64_t, std::uint64_t> Load;
    auto setOf = [&](std::int64_t Line) { return (Line % Sets + Sets) % Sets; };
    for (std::int64_t Line : Either)
      ++Load[setOf(Line)];
    const std::uint64_t Ways = std::uint64_t(below(below(2) ? 8 : 600));
    std::set<std::int64_t> Crowded;
    bool IsAll = std::ssize(Load) == Sets;
    for (const auto &[Set, Count] : Load)
      IsAll = IsAll && Count > Ways;
    std::ranges::copy_if(Values, std::inserter(Crowded, Crowded.end()),
                         [&](std::int64_t Line) { return Load[setOf(Line)] > Ways; });
    const CrowdedSets Found(Left, Right, std::uint64_t(Sets), Ways);
    EXPECT_EQ(Found.linesOf(Left), together(Crowded)) << Sets << " sets of " << Ways;
    EXPECT_EQ(Found.all(), IsAll);
    EXPECT_EQ(Found.none(),
              std::ranges::all_of(Load, [&](const auto &Item) { return Item.second <= Ways; }));
    if (plainlyFits(LineSet(Left) |= Right, std::uint64_t(Sets), std::int64_t(Ways)))
      EXPECT_TRUE(Found.none());
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, ManyLines, ::testing::Range(0, 50));

} // namespace
