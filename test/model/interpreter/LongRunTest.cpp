//===- LongRunTest.cpp - tests of how far interpreted code is run ---------===//

#include "model/interpreter/Interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ergon::code {
namespace {

/// What main notes, in a program that launches kernels: its run may take longer than that of
/// others.
std::map<std::string, std::int64_t> notedByLongRun(const std::string &Code) {
  Program Whole;
  static const std::string Launch = R"(function other 0
block
%0 = call i32 &cudaLaunchKernel
return
)";
  auto Added = Whole.add(Code);
  if (Added)
    Added = Whole.add(Launch);
  EXPECT_TRUE(Added) << Added.error().line();
  return valuesOf(Whole, {}).Symbols["main"];
}

/// Two ways lead back to a branch, each with an object of its own. The objects differ each time,
/// but nothing leads to them.
TEST(LongRun, EndsWhereWaysMakeObjects) {
  const auto Notes = notedByLongRun(R"(function main 2
block
jump 1
block
%2 = call i32 &rand
%3 = icmp.eq i32 %2 0
branch %3 2 3 4
block
%4 = call ptr &malloc 8
store i64 1 %4
jump 1
block
%5 = call ptr &malloc 8
store i64 2 %5
%6 = call i32 &rand
%7 = icmp.eq i32 %6 0
branch %7 1 4 4
block
note after 3 0 32
return
)");
  EXPECT_EQ(Notes.at("after"), 3);
}

/// 4000 times 300 iterations: the outer loop's length is known and short enough. `i < 520` in it
/// looks like the end of a loop too, when it is looked at.
TEST(LongRun, RunsWhatIsInLoopsOfKnownLength) {
  const auto Notes = notedByLongRun(R"(function main 2
block
jump 1
block
%2 = phi i32 0 0 %8 5
%3 = icmp.slt i32 %2 520
branch %3 2 3 3
block
jump 3
block
jump 4
block
%4 = phi i32 0 3 %5 4
%5 = add i32 %4 1
%6 = mul i32 %5 %5
%7 = icmp.slt i32 %6 90000
branch %7 4 5 5
block
%8 = add i32 %2 1
%9 = icmp.slt i32 %8 4000
branch %9 1 6 6
block
note last %8 0 32
return
)");
  EXPECT_EQ(Notes.at("last"), 4000);
}

/// 10^9 numbers that nobody knows: where the loop ends is known, and how often it runs.
TEST(LongRun, KnowsWhatFollowsStoresOfUnknownValues) {
  const auto Notes = notedByLongRun(R"(function main 2
block
%2 = call ptr &malloc 8000000000
%3 = local
store i32 7 %3
count trips@loop 0 1
jump 1
block
%4 = phi i64 0 0 %9 1
%5 = phi ptr %2 0 %8 1
%6 = phi i32 100 0 %10 1
count trips@loop 1 0
%7 = call i32 &rand
store i32 %7 %5
%8 = address %5 8
%9 = add i64 %4 1
%10 = sub i32 %6 3
%11 = icmp.eq i64 %9 1000000000
branch %11 2 1 2
block
note last %9 0 64
note other %10 0 32
%12 = sub i64 %8 %2
note bytes %12 0 64
%13 = load i32 %3
note kept %13 0 32
%14 = load i32 %2
note stored %14 0 32
return
)");
  EXPECT_EQ(Notes.at("last"), 1'000'000'000);
  EXPECT_EQ(Notes.at("trips@loop"), 1'000'000'000);
  EXPECT_EQ(Notes.at("other"), std::int32_t(std::uint32_t(100 - 3'000'000'000)));
  EXPECT_EQ(Notes.at("bytes"), 8'000'000'000);
  EXPECT_EQ(Notes.at("kept"), 7);
  EXPECT_FALSE(Notes.contains("stored"));
}

/// 10^5 times 10^3 of them take too long, one by one.
TEST(LongRun, SkipsInnerLoops) {
  const auto Notes = notedByLongRun(R"(function main 2
block
%2 = call ptr &malloc 1000
%3 = local
store i64 0 %3
jump 1
block
%4 = phi i64 0 0 %11 3
jump 2
block
%5 = phi i64 0 1 %8 2
%6 = address %2 0 %5 1
%7 = call i8 &rand
store i8 %7 %6
%8 = add i64 %5 1
%9 = icmp.ult i64 %8 1000
branch %9 2 3 3
block
%10 = load i64 %3
%11 = add i64 %4 1
%12 = add i64 %10 %8
store i64 %12 %3
%13 = icmp.slt i64 %11 100000
branch %13 1 4 4
block
note last %11 0 64
note sum %12 0 64
return
)");
  EXPECT_EQ(Notes.at("last"), 100'000);
  EXPECT_EQ(Notes.at("sum"), 100'000'000);
}

/// What a loop that is too long stores, or hands from pass to pass, is not known; where it ends is.
TEST(LongRun, KnowsWhereLoopsEnd) {
  struct Case {
    const char *Begin, *Step, *Test;
    std::int64_t Last;
  };
  for (const Case &Each :
       {Case{"5", "add i32 %4 3", "slt i32 %6 1000000007", 1'000'000'007},
        Case{"5", "add i32 %4 3", "sle i32 %4 1000000007", 1'000'000'013},
        Case{"4000000000", "sub i32 %4 2", "ugt i32 %6 7", 6},
        Case{"1000000001", "add i32 %4 -2", "sge i32 %6 -1000000000", -1'000'000'001},
        Case{"-6", "add i32 %4 3", "ne i32 %6 1000000002", 1'000'000'002}}) {
    const std::string Test = Each.Test;
    const auto Notes = notedByLongRun(std::string(R"(function main 2
block
%2 = call ptr &calloc 8 1
%3 = local
store i32 7 %3
jump 1
block
%4 = phi i32 )") + Each.Begin + R"( 0 %6 1
%5 = phi i32 1 0 %8 1
store i32 %5 %2
%6 = )" + Each.Step + R"(
%7 = mul i32 %5 3
%8 = add i32 %7 1
%9 = icmp.)" + Test + R"(
branch %9 1 2 2
block
note last %6 0 32
note handed %8 0 32
%10 = load i32 %2
note stored %10 0 32
%11 = load i32 %3
note kept %11 0 32
return
)");
    EXPECT_EQ(Notes.at("last"), Each.Last) << Test;
    EXPECT_EQ(Notes.at("kept"), 7);
    EXPECT_FALSE(Notes.contains("handed"));
    EXPECT_FALSE(Notes.contains("stored"));
  }
}

} // namespace
} // namespace ergon::code
