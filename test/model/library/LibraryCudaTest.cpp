//===- LibraryCudaTest.cpp - tests of what CUDA says of a GPU -------------===//

#include "model/interpreter/Interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ergon::code {
namespace {

using testing::ElementsAre;
using testing::Pair;

ProgramValues runOn(const std::string &Text, const Hardware &On) {
  Program Whole;
  auto Added = Whole.add(Text);
  EXPECT_TRUE(Added) << Added.error().line();
  return valuesOf(Whole, {{}, {}, false, On});
}

TEST(LibraryCuda, KnowsLimitsOfAllDevices) {
  const std::string Code = R"(function main 2
block
%2 = local
%3 = call i32 &cudaGetDeviceProperties_v2 %2 0
%4 = address %2 320
%5 = load i32 %4
note threads %5 0 32
%6 = address %2 340
%7 = load i32 %6
note rows %7 0 32
%8 = address %2 388
%9 = load i32 %8
note processors %9 0 32
%10 = local
%11 = call i32 &cudaDeviceGetAttribute %10 5 0
%12 = load i32 %10
note columns %12 0 32
return
)";
  EXPECT_THAT(runOn(Code, {}).Symbols.at("main"), // the number of processors differs
              ElementsAre(Pair("columns", 2147483647), Pair("rows", 65535), Pair("threads", 1024)));
}

/// The layout of cudaDeviceProp is another one in CUDA 12, whose function has another name, and in
/// older ones.
TEST(LibraryCuda, KnowsGpuOfMachine) {
  const std::string Code = R"(function main 2
block
%2 = local
%3 = call i32 &cudaGetDeviceProperties %2 0
%4 = address %2 384
%5 = load i32 %4
note processors %5 0 32
%6 = address %2 604
%7 = load i32 %6
note resident %7 0 32
%8 = local
%9 = call i32 &cudaGetDeviceProperties_v2 %8 0
%10 = address %8 388
%11 = load i32 %10
note in12 %11 0 32
%12 = address %8 364
%13 = load i32 %12
note minor %13 0 32
%14 = address %8 288
%15 = load i64 %14
note memory %15 0 64
%16 = local
%17 = call i32 &cudaDeviceGetAttribute %16 16 0
%18 = load i32 %16
note attribute %18 0 32
%19 = local
%20 = call i32 &cudaGetDeviceProperties_v1 %19 0
%21 = address %19 360
%22 = load i32 %21
note major %22 0 32
%23 = address %19 384
%24 = load i32 %23
note overlap %24 0 32
return
)";
  const ProgramValues Values = runOn(Code, {{}, GpuProperties{68, 1536, 8, 6}});
  EXPECT_THAT(Values.Symbols.at("main"),
              ElementsAre(Pair("attribute", 68), Pair("in12", 68), Pair("major", 8),
                          Pair("minor", 6), Pair("processors", 68), Pair("resident", 1536)));
  EXPECT_TRUE(Values.AsksForGpu);
  EXPECT_FALSE(runOn(Code, {}).AsksForGpu);
}

} // namespace
} // namespace ergon::code
