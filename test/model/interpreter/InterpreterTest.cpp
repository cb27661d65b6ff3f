//===- InterpreterTest.cpp - tests of code run on arguments ---------------===//

#include "model/interpreter/Interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ergon::code {
namespace {

using testing::ElementsAre;
using testing::Optional;
using testing::Pair;

/// The values that the functions of \p Texts have with \p Words.
ProgramValues run(const std::vector<std::string> &Texts, const std::vector<std::string> &Words) {
  Program Whole;
  for (const std::string &Text : Texts) {
    auto Added = Whole.add(Text);
    EXPECT_TRUE(Added) << Added.error().line();
  }
  return valuesOf(Whole, {Words});
}

std::optional<std::int64_t> valueOf(const ProgramValues &Values, const std::string &Symbol) {
  auto Found = Values.Symbols.find("main");
  if (Found == Values.Symbols.end() || !Found->second.contains(Symbol))
    return std::nullopt;
  return Found->second.at(Symbol);
}

/// `for (i = 1; i < argc; ++i) if (!strcmp(argv[i], "-n")) n = atoi(argv[++i]);`
const std::string OptionLoop = R"(function main 2
block
jump 1
block
%2 = phi i32 1 0 %8 4
%3 = phi i32 100 0 %9 4
%4 = icmp.slt i32 %2 %0
branch %4 2 5 5
block
%5 = sext i32 i64 %2
%6 = address %1 0 %5 8
%7 = load ptr %6
%10 = call i32 &strcmp %7 @option
%11 = icmp.eq i32 %10 0
branch %11 3 4 4
block
%12 = add i32 %2 1
%13 = sext i32 i64 %12
%14 = address %1 0 %13 8
%15 = load ptr %14
%16 = call i32 &atoi %15
jump 4
block
%17 = phi i32 %2 2 %12 3
%9 = phi i32 %3 2 %16 3
%8 = add i32 %17 1
jump 1
block
note n %3 0 32
return
global option const 0 i24 28205
)";

TEST(Interpreter, RunsOptionLoops) {
  EXPECT_THAT(valueOf(run({OptionLoop}, {}), "n"), Optional(100));
  EXPECT_THAT(valueOf(run({OptionLoop}, {"-n", "4096"}), "n"), Optional(4096));
  EXPECT_THAT(valueOf(run({OptionLoop}, {"-v", "-n", "-3"}), "n"), Optional(-3));
}

TEST(Interpreter, FollowsBothWaysOfAnUnknownBranch) {
  const std::string Code = R"(function main 2
block
%2 = call i32 &rand
%3 = icmp.eq i32 %2 0
branch %3 1 2 2
block
note inside 7 0 32
jump 2
block
%4 = phi i32 1 0 2 1
%5 = phi i32 5 0 5 1
note different %4 0 32
note same %5 0 32
return
)";
  const ProgramValues Values = run({Code}, {});
  EXPECT_EQ(valueOf(Values, "different"), std::nullopt);
  EXPECT_THAT(valueOf(Values, "same"), Optional(5));
  EXPECT_THAT(valueOf(Values, "inside"), Optional(7));
}

TEST(Interpreter, ForgetsWhatALoopOfUnknownLengthChanges) {
  const std::string Code = R"(function main 2
block
%2 = local
%3 = local
store i32 1 %2
store i32 2 %3
jump 1
block
%4 = load i32 %2
%5 = add i32 %4 1
store i32 %5 %2
%6 = call i32 &rand
%7 = icmp.eq i32 %6 0
branch %7 1 2 2
block
%8 = load i32 %2
%9 = load i32 %3
note changed %8 0 32
note kept %9 0 32
return
)";
  const ProgramValues Values = run({Code}, {});
  EXPECT_EQ(valueOf(Values, "changed"), std::nullopt);
  EXPECT_THAT(valueOf(Values, "kept"), Optional(2));
}

TEST(Interpreter, EndsLongLoops) {
  const std::string Code = R"(function main 2
block
jump 1
block
%2 = phi i32 0 0 %3 2
jump 2
block
%3 = add i32 %2 1
%4 = icmp.slt i32 %3 1000000000
branch %4 1 3 3
block
note last %3 0 32
note after 3 0 32
return
)";
  const ProgramValues Values = run({Code}, {});
  EXPECT_EQ(valueOf(Values, "last"), std::nullopt);
  EXPECT_THAT(valueOf(Values, "after"), Optional(3));
}

// 300 calls of a loop of 10^6 iterations are far more instructions than are run one by one.
TEST(Interpreter, KnowsWhatFollowsManyLongLoops) {
  const std::string Main = R"(function main 2
block
%2 = call ptr &calloc 8000000 1
jump 1
block
%3 = phi i32 0 0 %4 1
call void &fill %2
%4 = add i32 %3 1
%5 = icmp.slt i32 %4 300
branch %5 1 2 2
block
%6 = address %1 8
%7 = load ptr %6
%8 = call i32 &atoi %7
note n %8 0 32
%9 = load i64 %2
note filled %9 0 64
return
)";
  const std::string Fill = R"(function fill 1
block
jump 1
block
%1 = phi i64 0 0 %3 1
%2 = address %0 0 %1 8
store i64 %1 %2
%3 = add i64 %1 1
%4 = icmp.slt i64 %3 1000000
branch %4 1 2 2
block
return
)";
  const ProgramValues Values = run({Main, Fill}, {"64"});
  EXPECT_THAT(valueOf(Values, "n"), Optional(64));
  EXPECT_THAT(valueOf(Values, "filled"), testing::AnyOf(std::nullopt, Optional(0)));
}

TEST(Interpreter, CallsFunctionsThatFillObjects) {
  const std::string Main = R"(function main 2
block
%2 = local
call void &parse %0 %1 %2
%3 = load i32 %2
note n %3 0 32
call void &elsewhere %2
%4 = load i32 %2
note lost %4 0 32
return
)";
  const std::string Parse = R"(function parse 3
block
%3 = icmp.sgt i32 %0 1
branch %3 1 2 2
block
%4 = address %1 8
%5 = load ptr %4
%6 = call i64 &strtol %5 0 10
%7 = trunc i64 i32 %6
store i32 %7 %2
jump 2
block
return
)";
  const ProgramValues Values = run({Main, Parse}, {"64"});
  EXPECT_THAT(valueOf(Values, "n"), Optional(64));
  EXPECT_EQ(valueOf(Values, "lost"), std::nullopt); // other code may have written to it
  EXPECT_EQ(valueOf(run({Main, Parse}, {}), "n"), std::nullopt);
}

/// `while ((c = getopt(argc, argv, "n:v")) != -1) if (c == 'n') n = atoi(optarg);`
TEST(Interpreter, KnowsGetopt) {
  const std::string Code = R"(function main 2
block
jump 1
block
%2 = phi i32 10 0 %8 3
%3 = call i32 &getopt %0 %1 @letters
%4 = icmp.eq i32 %3 -1
branch %4 4 2 4
block
%5 = icmp.eq i32 %3 110
%6 = load ptr @optarg
%7 = select i1 %5 %6 @zero
%9 = call i32 &atoi %7
jump 3
block
%8 = select i32 %5 %9 %2
jump 1
block
%10 = load i32 @optind
note n %2 0 32
note first %10 0 32
return
global letters const 0 i32 1983003246
global zero const 0 i8 48
global optarg extern
global optind extern
)";
  const ProgramValues Values = run({Code}, {"-v", "-n", "32", "file"});
  EXPECT_THAT(valueOf(Values, "n"), Optional(32));
  EXPECT_THAT(valueOf(Values, "first"), Optional(4));
  EXPECT_THAT(valueOf(run({Code}, {"-vn7"}), "n"), Optional(7));
  EXPECT_EQ(valueOf(run({Code}, {"file", "-n", "32"}), "n"), std::nullopt);
}

TEST(Interpreter, SeesTheFirstLaunch) {
  const std::string Code = R"(function main 2
block
%2 = local
%3 = local
store ptr %3 %2
jump 1
block
%4 = phi i64 8 0 %6 1
%5 = trunc i64 i32 %4
store i32 %5 %3
%7 = or i64 %4 4294967296
%8 = call i32 &cudaLaunchKernel &kernel %7 1 4294967552 1 %2 0 0
%6 = lshr i64 %4 1
%9 = icmp.eq i64 %6 0
branch %9 2 1 2
block
return
)";
  const ProgramValues Values = run({Code}, {});
  ASSERT_TRUE(Values.First.contains("kernel"));
  const LaunchValues &First = Values.First.at("kernel");
  EXPECT_THAT(First.Grid, ElementsAre(8, 1, 1));
  EXPECT_THAT(First.Block, ElementsAre(256, 1, 1));
  ASSERT_EQ(First.Arguments.size(), 1u);
  EXPECT_EQ(First.Arguments[0].at(0).Bits, 8u);
}

/// Clang's function for a kernel, which a pointer to it leads to.
const std::string Stub = R"(function _Z16__device_stub__kv 0
alias _Z1kv
block
%0 = local
%1 = call i32 &cudaLaunchKernel &_Z1kv 4294967304 1 4294967552 1 %0 0 0
return
)";

// Six calls: of the stub where i is even, of another function else. What the next one calls depends
// on input, and is not known. The last one is not known to happen.
TEST(Interpreter, KnowsWhatIsCalledThroughPointers) {
  const std::string Code = R"(function main 2
block
jump 1
block
%2 = phi i32 0 0 %3 1
%4 = and i32 %2 1
%5 = icmp.eq i32 %4 0
%6 = select ptr %5 &_Z16__device_stub__kv &puts
called call@a.cu:5:3 %6
call void %6
%3 = add i32 %2 1
%7 = icmp.slt i32 %3 6
branch %7 1 2 2
block
%8 = call i32 &rand
%9 = icmp.eq i32 %8 0
%10 = select ptr %9 &_Z16__device_stub__kv &puts
called call@a.cu:7:3 %10
call void %10
branch %9 3 4 5
block
jump 5
block
jump 5
block
%11 = phi ptr &puts 3 &puts 4
branch %9 6 7 7
block
called call@a.cu:9:3 %11
jump 7
block
return
)";
  const ProgramValues Values = run({Code, Stub}, {});
  const auto &Calls = Values.Calls.at("main");
  EXPECT_EQ(Calls.at("call@a.cu:5:3"),
            (PointerTargets{{{"_Z16__device_stub__kv", 3}, {"puts", 3}}, true}));
  EXPECT_FALSE(Calls.contains("call@a.cu:7:3"));
  const PointerTargets &Sometimes = Calls.at("call@a.cu:9:3");
  EXPECT_FALSE(Sometimes.AreCounted);
  EXPECT_THAT(Sometimes.Times, ElementsAre(testing::Pair("puts", testing::_)));
  EXPECT_THAT(Values.First.at("_Z1kv").Grid, ElementsAre(8, 1, 1));
}

/// `Domain(int n) : size(n * n)`, called as the constructor of a complete object.
TEST(Interpreter, FindsFunctionsByAllTheirNames) {
  const std::string Main = R"(function main 2
block
%2 = local
call void &DomainC1 %2 12
%3 = load i32 %2
note size %3 0 32
return
)";
  const std::string Constructor = R"(function DomainC2 2
alias DomainC1
block
%2 = mul i32 %1 %1
store i32 %2 %0
return
)";
  EXPECT_EQ(nameIn(Constructor), "DomainC2");
  EXPECT_THAT(namesIn(Constructor), ElementsAre("DomainC2", "DomainC1"));
  EXPECT_THAT(valueOf(run({Main, Constructor}, {}), "size"), Optional(144));
}

/// `int rows = 4096, half = rows / 2;`: the second is computed before main.
TEST(Interpreter, RunsWhatComesBeforeMain) {
  const std::string Main = R"(function main 2
block
%2 = load i32 @half
note half %2 0 32
return
global rows zero 0 i32 4096
global half constructed &before
)";
  const std::string Before = R"(function before 0
block
%0 = load i32 @rows
%1 = sdiv i32 %0 2
store i32 %1 @half
return
)";
  EXPECT_THAT(valueOf(run({Main, Before}, {}), "half"), Optional(2048));
  EXPECT_EQ(run({Main, Before}, {}).Globals.at("::rows"), 4096);
  EXPECT_EQ(valueOf(run({Main}, {}), "half"), std::nullopt); // what it does is not recorded
}

TEST(Interpreter, TellsOfGlobalsThatKeepTheirNumbers) {
  const ProgramValues Found = run({R"(function main 2
block
store i32 7 @rows
store i32 5 @columns
return
global rows zero 0 i32 7
global columns zero 0 i32 4
)"},
                                  {});
  EXPECT_THAT(Found.Globals, ElementsAre(Pair("::rows", 7)));
  EXPECT_EQ(Found.Estimates.at("::columns").Sum, 5);
}

/// `work(&mesh, begin, -1)` twice, `work(&mesh, begin, -2)` once; mesh.chunk is behind a pointer.
TEST(Interpreter, NotesWhatAllCallsPass) {
  const std::string Main = R"(function main 2
block
%2 = local
%3 = local
store ptr %3 %2
%4 = address %3 4
store i32 250 %4
%5 = address %2 8
store ptr %3 %5
%6 = address %2 16
%7 = address %3 24
store ptr %7 %6
call void &work %2 -1
call void &work %2 -1
jump 1
block
call void &work %2 -2
return
)";
  const std::string Work = "function work 2\nblock\nreturn\n";
  Program Whole;
  ASSERT_TRUE(Whole.add(Main));
  ASSERT_TRUE(Whole.add(Work));
  Whole.Inputs[Whole.number("work")] = {
      {Whole.number("chunk"), 0, {0, 4}, 0, 4, true},
      {Whole.number("count"), 0, {16}, 8, 8, true}, // (end - begin) / sizeof(double)
      {.Symbol = Whole.number("step"), .Parameter = 1, .Bytes = 4, .HasSign = true}};
  const ProgramValues Values = valuesOf(Whole, {});
  ASSERT_TRUE(Values.Symbols.contains("work"));
  EXPECT_THAT(Values.Symbols.at("work"),
              ElementsAre(std::pair("chunk", 250), std::pair("count", 3)));
}

/// A structure with padding, read as one integer.
TEST(Interpreter, KnowsBytesBesidePadding) {
  const std::string Code = R"(function main 2
block
%2 = local
store i16 4660 %2
%3 = address %2 2
store i8 5 %3
%4 = load i32 %2
%5 = trunc i32 i16 %4
note low %5 0 32
%6 = and i32 %4 16777215
note three %6 0 32
%7 = lshr i32 %4 16
%8 = trunc i32 i8 %7
note third %8 0 32
%9 = or i32 %4 -16777216
note set %9 0 32
note all %4 0 32
%10 = add i32 %4 1
note sum %10 0 32
return
)";
  EXPECT_THAT(run({Code}, {}).Symbols.at("main"),
              ElementsAre(Pair("low", 0x1234), Pair("set", -16444876), Pair("third", 5),
                          Pair("three", 0x51234)));
}

/// A text of 5 letters in a string's own 16 bytes becomes `tiny-mesh`, then `tiny-grid`; a stream
/// that writes it out does not change it.
TEST(Interpreter, KnowsStringsOfLibstdcxx) {
  const std::string Code = R"(function main 2
block
%2 = local
%3 = address %2 16
store ptr %3 %2
%4 = address %2 8
store i64 5 %4
call void &memmove %3 @small 6
%5 = call ptr &_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm %2 @mesh 4
%6 = load i64 %4
note size %6 0 32
%7 = load ptr %2
%8 = call ptr &_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l @cout %7 %6
%9 = call i32 &_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareEPKc %2 @whole
note same %9 0 32
%10 = call ptr &_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_replaceEmmPKcm %2 5 4 @grid 4
%11 = call i32 &_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareEPKc %2 @whole
note less %11 0 32
%12 = load ptr %2
%13 = call i64 &strlen %12
note length %13 0 32
return
global small const 0 i48 195310807412
global mesh const 0 i40 1752393069
global grid const 0 i40 1684632167
global whole const 0 i64 8315172329087723892 8 i16 104
global cout extern
)";
  const ProgramValues Values = run({Code}, {});
  EXPECT_THAT(valueOf(Values, "size"), Optional(9));
  EXPECT_THAT(valueOf(Values, "same"), Optional(0));
  EXPECT_THAT(valueOf(Values, "less"), Optional(-1));
  EXPECT_THAT(valueOf(Values, "length"), Optional(9));
}

TEST(Interpreter, RefusesWhatIsNoCode) {
  Program Whole;
  EXPECT_FALSE(Whole.add("function f 0\nblock\n%0 = wonder i32 1\nreturn\n"));
  EXPECT_FALSE(Whole.add("function f 0\nblock\njump 7\n"));
  EXPECT_FALSE(Whole.add("function f 0\nblock\n%0 = add i32 1 1\n"));
}

} // namespace
} // namespace ergon::code
