//===- LongRunTest.cpp - tests of how far interpreted code is run ---------===//

#include "model/code/Interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ergon::code {
namespace {

/// What main notes.
std::map<std::string, std::int64_t> notedByLongRun(const std::string &Code) {
  Program Whole;
  auto Added = Whole.add(Code);
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

} // namespace
} // namespace ergon::code
