//===- CacheHierarchyTest.cpp - geometry that makes sense, and that does not ===//

#include "model/traffic/CacheHierarchy.h"

#include <gtest/gtest.h>

using namespace ergon;

TEST(CacheHierarchy, AcceptsWhatMachinesHave) {
  // Nehalem; L3 with a number of sets that is no power of 2 (30 MiB, 20 ways); direct-mapped;
  // any line anywhere.
  EXPECT_EQ(checkHierarchy({{"l1", 32768, 64, 8}, {"l2", 262144, 64, 8}, {"l3", 8 << 20, 64, 16}}),
            std::nullopt);
  EXPECT_EQ(checkHierarchy({{"l1", 32768, 64, 8}, {"l3", 30 << 20, 64, 20}}), std::nullopt);
  EXPECT_EQ(checkHierarchy({{"l1", 64, 64, 1}}), std::nullopt);
  EXPECT_EQ(checkHierarchy({{"l1", 4096, 64, 64}, {"l2", 4096, 64, 64}}), std::nullopt);
}

TEST(CacheHierarchy, SaysWhatIsWrong) {
  const std::pair<CacheHierarchy, const char *> Cases[] = {
      {{}, "there is no cache level; give one or more"},
      {{{"l1", 32768, 64, 0}},
       "l1 has 0 ways; write 1 where a line has one place only, the number of lines where it may "
       "be anywhere"},
      {{{"l1", 32768, 0, 8}}, "a line of l1 has 0 bytes, which is no power of 2; correct it"},
      {{{"l1", 32768, 48, 8}}, "a line of l1 has 48 bytes, which is no power of 2; correct it"},
      {{{"l1", 32, 64, 1}}, "l1 has 32 bytes, less than one line of 64; correct one of the two"},
      {{{"l1", 0, 64, 1}}, "l1 has 0 bytes, less than one line of 64; correct one of the two"},
      {{{"l1", 1ull << 41, 64, 8}}, "l1 has 2199023255552 bytes, more than any cache; correct it"},
      {{{"l1", 32768, 64, 3}},
       "l1 has 32768 bytes, which is no whole number of sets of 3 lines of 64 bytes; correct one "
       "of them"},
      {{{"l1", 32768, 64, 1024}},
       "l1 has 32768 bytes, which is no whole number of sets of 1024 lines of 64 bytes; correct "
       "one of them"},
      {{{"l1", 32768, 64, 8}, {"l2", 16384, 64, 8}},
       "l2 has 16384 bytes, fewer than l1 nearer the core; correct one of the two"},
      {{{"l1", 32768, 64, 8}, {"l2", 262144, 128, 8}},
       "a line of l2 has 128 bytes, one of l1 64; give both the same"},
      {{{"l1", 32768, 64, 8}, {"l1", 262144, 64, 8}}, "there are two levels l1; leave one out"},
  };
  for (const auto &[Case, Expected] : Cases)
    EXPECT_EQ(checkHierarchy(Case), Expected);
}

static Cache cache(const char *Level, std::uint64_t Bytes, unsigned Ways, unsigned SharedBy) {
  return {Level, Bytes, 64, std::nullopt, Ways, SharedBy, WritePolicy::Back, true};
}

TEST(PathOfOneCore, HasAllOfWhatOthersShareWhenAlone) {
  const Cache Subject[] = {cache("l1", 32768, 8, 1), cache("l3", 8 << 20, 16, 4)};
  const auto Path = pathOfOneCore(Subject);
  ASSERT_TRUE(Path);
  EXPECT_EQ(Path->Levels[1].Bytes, 8u << 20);
  EXPECT_EQ(Path->Assumptions,
            std::vector<std::string>{"one core has all of l3, which 4 cores share"});
}

TEST(PathOfOneCore, HasItsPartWhereSeveralAreAtWork) {
  const Cache Subject[] = {cache("l1", 32768, 8, 1), cache("l3", 8 << 20, 16, 4)};
  EXPECT_EQ(pathOfOneCore(Subject, 2)->Levels[1].Bytes, 4u << 20);
  EXPECT_EQ(pathOfOneCore(Subject, 64)->Levels[1].Bytes, 2u << 20);
  EXPECT_EQ(pathOfOneCore(Subject, 64)->Levels[0].Bytes, 32768u);
  // A third of 8192 sets: whole ones.
  EXPECT_EQ(pathOfOneCore(Subject, 3)->Levels[1].Bytes, 2730u * 1024);
  EXPECT_EQ(checkHierarchy(pathOfOneCore(Subject, 3)->Levels), std::nullopt);
}

TEST(PathOfOneCore, SaysWhatItAssumes) {
  const Cache Bare{"l1", 32768};
  const auto Path = pathOfOneCore(std::span(&Bare, 1));
  ASSERT_TRUE(Path);
  EXPECT_EQ(Path->Levels.front().LineBytes, 64u);
  EXPECT_EQ(Path->Levels.front().Ways, 16u);
  EXPECT_EQ(Path->Assumptions,
            (std::vector<std::string>{"l1 has lines of 64 bytes, as it is not told",
                                      "l1 has 16 ways, as it is not told",
                                      "l1 keeps what is stored until the line leaves (write-back)",
                                      "l1 fetches the line of a store that misses"}));
  EXPECT_EQ(pathOfOneCore({}).error().What, "there is no cache level; give one or more");
}

// Lines are those of the level before; ways make whole sets.
TEST(PathOfOneCore, AssumesWhatFits) {
  const Cache Levels[] = {cache("l1", 32768, 8, 1), {"l2", 7 * 5 * 13 * 1024}};
  const auto Path = pathOfOneCore(Levels);
  ASSERT_TRUE(Path);
  EXPECT_EQ(Path->Levels[1].LineBytes, 64u);
  EXPECT_EQ(Path->Levels[1].Ways, 16u); // 16 times 64 are 1 KiB
  const Cache Odd{"l1", 11 * 7 * 64, {}, 64};
  EXPECT_EQ(pathOfOneCore(std::span(&Odd, 1))->Levels[0].Ways, 11u);
  const Cache Wrong{"l1", 32768, 3, 64};
  EXPECT_FALSE(pathOfOneCore(std::span(&Wrong, 1)));
}
