//===- EntryCallTest.cpp - tests of a function that is run alone ----------===//

#include "model/interpreter/Interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ergon::code {
namespace {

using testing::ElementsAre;
using testing::Pair;

ProgramValues callOf(const std::string &Text, std::vector<EntryCall::Argument> Arguments) {
  Program Whole;
  auto Added = Whole.add(Text);
  EXPECT_TRUE(Added) << Added.error().line();
  return valuesOfCall(
      Whole, {"work", std::move(Arguments), {{{1, 32768, 64, 8}, {2, 262144, 64, 8}}, {}}});
}

/// A function that a caller nobody sees calls with `n` = 12 and a pointer.
ProgramValues callOf(const std::string &Text) { return callOf(Text, {{Value::integer(12)}, {}}); }

TEST(EntryCall, RunsAFunctionAlone) {
  // What it stores in its own objects is known, whatever the pointer leads to; globals are not,
  // constants are. Code that is not reached needs no value.
  const ProgramValues Values = callOf(R"(function work 2
block
%2 = call ptr &_Znwm 8
store i32 %0 %2
store i32 7 %1
%3 = load i32 %2
note n%43;%37;x %3 0 32
%4 = load i32 @changed
note g %4 0 32
%5 = load i32 @fixed
note c %5 0 32
%6 = icmp.slt i32 %3 0
branch %6 1 2 2
block
note never %3 0 32
jump 2
block
return
global changed zero 0 i32 5
global fixed const 0 i32 6
)");
  EXPECT_THAT(Values.Symbols.at("work"), ElementsAre(Pair("c", 6), Pair("n+%x", 12)));
  EXPECT_THAT(Values.Varying, ElementsAre("g"));
  EXPECT_THAT(Values.Unvisited, ElementsAre("never"));
}

TEST(EntryCall, ReadsNumbersBehindPointers) {
  // `*p` = 2.5, `q->size` = 7 and `q->next->size` = 9. Both pointers may lead to one object: what
  // is written through one is all that is known behind it.
  const EntryCall::Argument Real{{}, {{{0}, 8, Value::real(2.5)}}},
      List{{}, {{{8}, 4, Value::integer(7)}, {{16, 8}, 4, Value::integer(9)}}};
  const ProgramValues Values = callOf(R"(function work 2
block
%2 = load f64 %0
%3 = fcmp.ogt f64 %2 f:4000000000000000
note above %3 0 1
%4 = address %1 8
%5 = load i32 %4
note size %5 0 32
%6 = address %1 16
%7 = load ptr %6
%8 = address %7 8
%9 = load i32 %8
note next %9 0 32
%10 = icmp.eq ptr %0 %1
note same %10 0 1
%11 = icmp.eq ptr %0 0
note null %11 0 1
store f64 f:4010000000000000 %0
%12 = load i32 %4
note after %12 0 32
%13 = load f64 %0
%14 = fcmp.ogt f64 %13 f:4000000000000000
note written %14 0 1
return
)",
                                      {Real, List});
  EXPECT_THAT(Values.Symbols.at("work"),
              ElementsAre(Pair("above", -1), Pair("next", 9), Pair("null", 0), Pair("size", 7),
                          Pair("written", -1)));
  // What was written is unknown where the pointers lead to one object.
  EXPECT_THAT(Values.Varying, ElementsAre("after", "same"));
}

TEST(EntryCall, MakesAVariableOfTheFunctionOnce) {
  const ProgramValues Values = callOf(R"(function work 2
block
%2 = load i8 @a.cpp:_ZGVZ4workE1k
note made %2 0 8
%3 = icmp.eq i8 %2 0
branch %3 1 2 2
block
store i32 %0 @a.cpp:_ZZ4workE1k
call void &__cxa_guard_release @a.cpp:_ZGVZ4workE1k
jump 2
block
%4 = load i32 @a.cpp:_ZZ4workE1k
note k %4 0 32
return
global a.cpp:_ZGVZ4workE1k zero
global a.cpp:_ZZ4workE1k zero
)");
  EXPECT_THAT(Values.Symbols.at("work"), ElementsAre(Pair("k", 12), Pair("made", 0)));
}

TEST(EntryCall, HasTheMeanOfAllVisits) {
  // Of 0, 1, … 11. On a way that may not be taken nothing is known of the mean.
  const ProgramValues Values = callOf(R"(function work 2
block
jump 1
block
%2 = phi i32 0 0 %3 3
%3 = add i32 %2 1
note each %2 0 32
count odd 0 1
%4 = and i32 %2 3
%5 = icmp.eq i32 %4 1
branch %5 2 3 3
block
count odd 1 0
jump 3
block
%6 = icmp.slt i32 %3 %0
branch %6 1 4 4
block
note other 5 0 32
%7 = load i1 %1
branch %7 5 6 6
block
note other 6 0 32
jump 6
block
return
)");
  EXPECT_THAT(Values.Means.at("work"),
              ElementsAre(Pair("each", ProgramValues::Mean{66, 12, {0, 11}}),
                          Pair("odd", ProgramValues::Mean{3, 12, {0, 1}})));
  EXPECT_THAT(Values.Varying, ElementsAre("other"));
}

TEST(EntryCall, TellsTheProcessorsCaches) {
  const ProgramValues Values = callOf(R"(function work 2
block
%2 = local
call void &cpuid %2 4 1 0 1 2 3
%3 = load i32 %2
note kind %3 0 8
%4 = address %2 8
%5 = load i32 %4
note sets %5 0 32
call void &cpuid %2 4 2 0 1 2 3
%6 = load i32 %2
note none %6 0 8
%7 = local
call void &cpuid %7 7 0 0 1 2 3
%8 = load i32 %7
note features %8 0 32
return
)");
  EXPECT_THAT(Values.Symbols.at("work"),
              ElementsAre(Pair("kind", 3 | 2 << 5), Pair("none", 0), Pair("sets", 511)));
  EXPECT_TRUE(Values.AsksForCaches);
}

} // namespace
} // namespace ergon::code
