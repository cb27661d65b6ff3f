//===- OrdinaryNumbersTest.cpp - tests of branches on unknown numbers -----===//

#include "model/interpreter/Interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ergon::code {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Pair;

/// A function that gets a pointer to numbers that nobody knows.
ProgramValues valuesOfWork(const std::string &Text, UnknownNumbers Are) {
  Program Whole;
  auto Added = Whole.add(Text);
  EXPECT_TRUE(Added) << Added.error().line();
  return valuesOfCall(Whole, {"work", {{}}, {}}, Are);
}

TEST(OrdinaryNumbers, GoOnBehindTests) {
  // A loop over nine numbers is left where one is not positive, with an error's code.
  const std::string Text = R"(function work 1 0
block
jump 1
block
%1 = phi i32 0 0 %4 2
%2 = load f64 %0
%3 = fcmp.ole f64 %2 f:0
branch %3 3 2 3
block
%4 = add i32 %1 1
%5 = icmp.slt i32 %4 9
branch %5 1 3 3
block
%6 = phi i32 1 1 0 2
note code %6 0 32
return
)";
  const ProgramValues Any = valuesOfWork(Text, UnknownNumbers::Any);
  EXPECT_TRUE(Any.OrdinaryMatters);
  EXPECT_THAT(Any.Varying, ElementsAre("code"));
  EXPECT_THAT(valuesOfWork(Text, UnknownNumbers::Ordinary).Symbols.at("work"),
              ElementsAre(Pair("code", 0)));
}

TEST(OrdinaryNumbers, AreEqualToThemselvesAlone) {
  // `x != x`, loaded twice; `x == y`; and with the least and the largest numbers.
  const ProgramValues Values = valuesOfWork(R"(function work 1 0
block
%1 = load f64 %0
%2 = load f64 %0
%3 = address %0 8
%4 = load f64 %3
%5 = fcmp.une f64 %1 %2
note nan %5 0 1
%6 = fcmp.oeq f64 %1 %4
note equal %6 0 1
%7 = fcmp.olt f64 %1 f:0010000000000000
note tiny %7 0 1
%8 = fcmp.ogt f64 %4 f:7fe0000000000000
note huge %8 0 1
%9 = fcmp.olt f64 %1 f:3ff8000000000000
note below %9 0 1
return
)",
                                            UnknownNumbers::Ordinary);
  EXPECT_THAT(Values.Symbols.at("work"),
              ElementsAre(Pair("equal", 0), Pair("huge", 0), Pair("nan", 0), Pair("tiny", 0)));
  EXPECT_THAT(Values.Varying, ElementsAre("below"));
}

TEST(OrdinaryNumbers, GuessTheWayAndNotTheShare) {
  // How often a number is negative is not known where both ways go on.
  const ProgramValues Values = valuesOfWork(R"(function work 1 0
block
%1 = load f64 %0
%2 = fcmp.olt f64 %1 f:0
branch %2 4 2 3
block
return
block
jump 3
block
%3 = phi i32 1 4 2 2
note sign %3 0 32
jump 1
block
count taken@negative 1 1
jump 3
)",
                                            UnknownNumbers::Ordinary);
  EXPECT_THAT(Values.Symbols.at("work"), ElementsAre(Pair("sign", 2)));
  EXPECT_THAT(Values.Varying, ElementsAre("taken@negative"));
}

TEST(OrdinaryNumbers, AreComparedWithWhatAFunctionIsCalledWith) {
  // Calls with 3 and 5: the noted number is one more each time.
  Program Whole;
  ASSERT_TRUE(Whole.add(R"(function work 1 0
block
call void &inner 3
call void &inner 5
return
)"));
  ASSERT_TRUE(Whole.add(R"(function inner 1
block
%1 = add i32 %0 1
note size %1 0 32
return
)"));
  Whole.Inputs[Whole.number("inner")] = {
      {.Symbol = Whole.number("passed@inner:n"), .Parameter = 0, .Bytes = 4}};
  const ProgramValues Values = valuesOfCall(Whole, {"work", {{}}, {}}, UnknownNumbers::Ordinary);
  EXPECT_THAT(Values.Means.at("inner"), Contains(Pair("size", testing::_)));
  const ProgramValues::Like &Like = Values.Likes.at("inner").at("size");
  EXPECT_EQ(Like.Symbol, "passed@inner:n");
  EXPECT_EQ(Like.More, 1);
}

} // namespace
} // namespace ergon::code
