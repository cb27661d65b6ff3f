//===- DeviceTrafficTest.cpp - a launch's bytes between levels ------------===//
//
// Launches whose traffic can be told by hand: what is read once, what stays in a
// cache, what does not fit.
//
//===----------------------------------------------------------------------===//

#include "model/gpu/DeviceTraffic.h"
#include "model/gpu/DeviceReport.h"
#include "model/gpu/SectorCache.h"
#include "test/support/AccessPrograms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace ergon;
using accesses::formula;
using testing::Contains;
using testing::HasSubstr;

namespace {

AccessItem access(unsigned Object, Access::Kind What, const std::string &Offset,
                  unsigned Bytes = 4) {
  return {Expr(1),
          MemoryAccess{.What = What, .Object = Object, .Bytes = Bytes, .Offset = formula(Offset)}};
}

AccessItem loop(const std::string &Variable, const std::string &Last,
                std::vector<AccessItem> Items) {
  AccessNest Nest{.Variable = Variable,
                  .Last = formula(Last),
                  .Location = {},
                  .Items = std::move(Items),
                  .Idle = {}};
  return {Expr(1), std::move(Nest)};
}

AccessProgram program(std::vector<AccessItem> Items, Space Where = Space::Global) {
  AccessProgram Result;
  for (const char *Name : {"x", "y", "z"})
    Result.Objects.push_back({.Name = Name, .Where = Where});
  Result.Body.Items = std::move(Items);
  return Result;
}

/// 10 multiprocessors with 48 KiB of L1 and 1 MiB of L2: 32768 sectors.
DeviceCaches caches(bool InL1 = false) {
  return {.L1Bytes = 48 << 10,
          .L2Bytes = 1 << 20,
          .L2Ways = 16,
          .GlobalLoadsInL1 = InL1,
          .Multiprocessors = 10,
          .Limits = *limitsOf({6, 1})};
}

DeviceTraffic predicted(const AccessProgram &Program, const LaunchSize &Launch,
                        const DeviceCaches &Through = caches()) {
  auto Result = deviceTraffic(Program, Launch, Through);
  EXPECT_TRUE(Result) << (Result ? "" : Result.error().What);
  return Result.value_or(DeviceTraffic());
}

constexpr auto Load = Access::Kind::Load, Store = Access::Kind::Store,
               Atomic = Access::Kind::Atomic;
const std::string Thread = "4*threadIdx.x+4*256*blockIdx.x";

} // namespace

TEST(DeviceTraffic, WhatIsReadOnceComesFromDram) {
  // A million blocks of 256 threads: 32 sectors of each array for each block.
  double Sectors = 32e6;
  DeviceSectors All = predicted(program({access(0, Load, Thread), access(1, Load, Thread),
                                         access(2, Store, Thread)}),
                                {{1'000'000, 1, 1}, {256, 1, 1}})
                          .total();
  EXPECT_EQ(All.L2Reads.Low, 2 * Sectors);
  EXPECT_EQ(All.DramReads.Low, 2 * Sectors);
  EXPECT_EQ(All.L2Writes.Low, Sectors);
  EXPECT_EQ(All.DramWrites.Low, Sectors);
  EXPECT_TRUE(All.DramReads.isKnown());
}

TEST(DeviceTraffic, WhatIsReadAgainComesFromL2) {
  // A table of 8 KiB that every block reads: 256 sectors from DRAM, once.
  DeviceTraffic Found =
      predicted(program({loop("i", "7", {access(0, Load, "4*threadIdx.x+1024*i")})}),
                {{5000, 1, 1}, {256, 1, 1}});
  EXPECT_EQ(Found.total().L2Reads.Low, 5000 * 256);
  EXPECT_NEAR(Found.total().DramReads.Low, 256, 0.5);
  EXPECT_EQ(Found.BlocksAtOnce, 80);
}

TEST(DeviceTraffic, WhatDoesNotFitIsFetchedAgain) {
  // 4 MiB swept three times by all blocks at once, a fourth of a block's warps each: L2 keeps 1
  // MiB.
  AccessProgram Sweeps =
      program({loop("s", "2", {loop("i", "25", {access(0, Load, Thread + "+1024*80*i")})})});
  DeviceSectors All = predicted(Sweeps, {{80, 1, 1}, {256, 1, 1}}).total();
  double Once = 80 * 26 * 32;
  EXPECT_EQ(All.L2Reads.Low, 3 * Once);
  EXPECT_NEAR(All.DramReads.Low, 3 * Once, 0.01 * Once);
  // Half a MiB stays.
  AccessProgram Small =
      program({loop("s", "2", {loop("i", "5", {access(0, Load, Thread + "+1024*80*i")})})});
  EXPECT_NEAR(predicted(Small, {{80, 1, 1}, {256, 1, 1}}).total().DramReads.Low, 80 * 6 * 32,
              80 * 6 * 32 * 0.01);
}

TEST(DeviceTraffic, L1KeepsLoadsWhereTheDeviceSaysSo) {
  AccessProgram Again = program({loop("i", "9", {access(0, Load, Thread)})});
  LaunchSize Launch{{80, 1, 1}, {256, 1, 1}};
  EXPECT_EQ(predicted(Again, Launch).total().L2Reads.Low, 10 * 80 * 32);
  EXPECT_EQ(predicted(Again, Launch, caches(true)).total().L2Reads.Low, 80 * 32);
  // Stores go on to L2.
  AccessProgram Stores = program({loop("i", "9", {access(0, Store, Thread)})});
  EXPECT_EQ(predicted(Stores, Launch, caches(true)).total().L2Writes.Low, 10 * 80 * 32);
  EXPECT_EQ(predicted(Stores, Launch, caches(true)).total().DramWrites.High, 80 * 32);
}

TEST(DeviceTraffic, AtomicsAreDoneAtL2) {
  // All threads add to eight words: one sector.
  DeviceSectors All =
      predicted(program({access(0, Atomic, "4*threadIdx.x-32*floor(threadIdx.x,8)")}),
                {{100, 1, 1}, {256, 1, 1}})
          .total();
  EXPECT_EQ(All.L2Reads.Low, 800);
  EXPECT_EQ(All.L2Writes.Low, 800);
  EXPECT_EQ(All.DramReads.Low, 1);
  EXPECT_EQ(All.DramWrites.High, 1);
}

TEST(DeviceTraffic, LocalMemoryIsInL1) {
  // 16 words of each thread: 64 sectors for each warp, 8 blocks of 8 warps on a multiprocessor: 128
  // KiB of which 48 stay. Of 4 words 32 KiB, which all stay.
  auto Words = [](const char *Last) {
    AccessProgram Result = program(
        {loop("i", Last, {access(0, Store, "4*i")}), loop("j", Last, {access(0, Load, "4*j")})},
        Space::Local);
    Result.Objects[0].Bytes = Expr(64);
    return Result;
  };
  DeviceSectors Large = predicted(Words("15"), {{80, 1, 1}, {256, 1, 1}}).total();
  EXPECT_EQ(Large.L2Writes.Low, 80 * 8 * 64);
  EXPECT_EQ(Large.L2Reads.Low, 80 * 8 * 64); // stores leave nothing in L1
  EXPECT_EQ(predicted(Words("3"), {{80, 1, 1}, {256, 1, 1}}).total().L2Reads.Low, 80 * 8 * 16);
}

TEST(DeviceTraffic, SharedAndConstantMemoryStayInTheMultiprocessor) {
  LaunchSize Launch{{80, 1, 1}, {256, 1, 1}};
  EXPECT_EQ(predicted(program({access(0, Load, "4*threadIdx.x")}, Space::Shared), Launch)
                .total()
                .L2Reads.High,
            0);
  EXPECT_EQ(
      predicted(program({access(0, Load, "0")}, Space::Constant), Launch).total().L2Reads.High, 0);
}

TEST(DeviceTraffic, RoundsStandForTheRest) {
  // Three points of a line and one of the line before: in L2 every sector is read again, DRAM has
  // it read once.
  AccessProgram Stencil = program({access(0, Load, Thread), access(0, Load, Thread + "+4"),
                                   access(0, Load, Thread + "+8"),
                                   access(0, Load, Thread + "-65536"), access(1, Store, Thread)});
  auto Some = deviceTraffic(Stencil, {{100'000, 1, 1}, {256, 1, 1}}, caches(), 400'000);
  ASSERT_TRUE(Some);
  EXPECT_THAT(Some->Requests.Assumptions, Contains(HasSubstr("stand for the rest")));
  EXPECT_NEAR(Some->total().DramReads.Low, 100'000 * 32, 100'000 * 32 * 0.02);
  EXPECT_EQ(Some->total().L2Reads.Low, 100'000 * 8 * (4 + 5 + 5 + 4));
}

/// Blocks of 32 by 8 threads of which each adds up one element of an N by N matrix, z, in memory:
/// in each iteration of a loop over k it is read and written beside \p Others.
AccessProgram sumsInMemory(const std::string &N, std::vector<AccessItem> Others) {
  const std::string Own = "4*" + N + "*(8*blockIdx.y+threadIdx.y)+4*(32*blockIdx.x+threadIdx.x)";
  Others.push_back(access(2, Load, Own));
  Others.push_back(access(2, Store, Own));
  return program({loop("k", N + "-1", std::move(Others))});
}

TEST(DeviceTraffic, WhatIsWrittenAgainAndAgainLeavesL2Once) {
  // 512 by 512 elements are 32768 sectors. Those of the 80 blocks at work, 2560 sectors, stay in
  // L2, of which a small part of the iterations is looked at.
  AccessProgram Product =
      sumsInMemory("512", {access(0, Load, "2048*(8*blockIdx.y+threadIdx.y)+4*k"),
                           access(1, Load, "2048*k+4*(32*blockIdx.x+threadIdx.x)")});
  auto Found = deviceTraffic(Product, {{16, 64, 1}, {32, 8, 1}}, caches(), 100'000);
  ASSERT_TRUE(Found);
  EXPECT_EQ(Found->total().L2Writes.Low, 512.0 * 512 * 512 / 8);
  EXPECT_NEAR(Found->total().DramWrites.High, 32768, 10);
}

TEST(DeviceTraffic, WhatARoundHasInCommonWithTheNextIsFetchedOnce) {
  // The three matrices of 32768 sectors are more than 2 MiB of L2. What a round of 80 blocks
  // touches is less: all of y, 40 rows of x and of z. So the next one finds y there.
  AccessProgram Product =
      sumsInMemory("512", {access(0, Load, "2048*(8*blockIdx.y+threadIdx.y)+4*k"),
                           access(1, Load, "2048*k+4*(32*blockIdx.x+threadIdx.x)")});
  DeviceCaches Through = caches();
  Through.L2Bytes = 2 << 20;
  auto Found = deviceTraffic(Product, {{16, 64, 1}, {32, 8, 1}}, Through, 100'000);
  ASSERT_TRUE(Found);
  EXPECT_NEAR(Found->total().DramReads.High, 3 * 32768, 10);
  EXPECT_THAT(Found->Requests.Assumptions, Contains(HasSubstr("resident blocks touch")));
  // Of half of it y alone is all.
  auto Less = deviceTraffic(Product, {{16, 64, 1}, {32, 8, 1}}, caches(), 100'000);
  ASSERT_TRUE(Less);
  EXPECT_GT(Less->total().DramReads.High, 10 * 32768);
}

TEST(DeviceTraffic, BlocksThatAreNotSideBySide) {
  // Each lane goes along a row of its own of x and one of y. In an iteration the 80 blocks need the
  // lines of 1024 rows of both. At iterations of their own they need 80·(2·32 + 2·8) of x and y and
  // 80·8 of z: 7040 of 128 bytes.
  const std::string Row = "4096*(32*blockIdx.x+threadIdx.x)+4*k",
                    Column = "4096*(8*blockIdx.y+threadIdx.y)+4*k";
  AccessProgram Update = sumsInMemory("1024", {access(0, Load, Column), access(1, Load, Row),
                                               access(1, Load, Column), access(0, Load, Row)});
  LaunchSize Launch{{32, 128, 1}, {32, 8, 1}};
  DeviceCaches Small = caches();
  Small.L2Bytes = 640 << 10; // 5120 lines
  Small.L2Ways = 64;         // few sets, so that none has far more of them than others
  DeviceSectors All = predicted(Update, Launch, Small).total();
  // 128 sectors for each of 1024 rows of both, in each of 4096/80 rounds, and z.
  EXPECT_NEAR(All.DramReads.Low, 51.2 * 2 * 1024 * 128 + 131072, 0.05 * 51.2 * 2 * 1024 * 128);
  EXPECT_GT(All.DramReads.High, 10 * All.DramReads.Low);
  EXPECT_LT(All.DramWrites.High, 2 * 131072); // a set that holds too many lines is rare
  DeviceCaches Large = caches();
  Large.L2Bytes = 4 << 20;
  EXPECT_TRUE(predicted(Update, Launch, Large).total().DramReads.isKnown());
}

TEST(DeviceTraffic, QuotientsTakeNeitherTimeNorMemory) {
  // A million iterations in each of which other lanes begin again: 28 bytes are one sector.
  const std::string Number = "(256*blockIdx.x+threadIdx.x+i)",
                    Offset = "4*" + Number + "-28*floor(" + Number + ",7)";
  DeviceSectors All = predicted(program({loop("i", "999999", {access(0, Load, Offset)})}),
                                {{800, 1, 1}, {256, 1, 1}})
                          .total();
  EXPECT_LE(All.DramReads.High, 10); // once in each round
  // Of floats, c[(i + j) / 2]: lines follow each other, and come from DRAM once in each of 10
  // rounds.
  DeviceSectors Halves =
      predicted(program({loop(
                    "i", "9999",
                    {loop("j", "9999",
                          {access(0, Load, "4*floor(256*blockIdx.x+threadIdx.x+10000*i+j,2)")})})}),
                {{800, 1, 1}, {256, 1, 1}})
          .total();
  EXPECT_NEAR(Halves.DramReads.Low, 10 * 1e8 / 16, 4e8 / 16);
}

TEST(DeviceTraffic, QuotientsOfSeveralTermsTouchWhatTheySpan) {
  // c[(t + 300·i + j)/3] for t below 20480: the sums go up to 110478, so 36827 floats, 4604
  // sectors. Each iteration goes on by a third of a float, so that no box holds two of them.
  const std::string Number = "(256*blockIdx.x+threadIdx.x+300*i+j)";
  DeviceSectors All =
      predicted(program({loop("i", "299",
                              {loop("j", "299", {access(0, Load, "4*floor(" + Number + ",3)")})})}),
                {{80, 1, 1}, {256, 1, 1}})
          .total();
  EXPECT_LE(All.DramReads.High, 4604);
  EXPECT_GE(All.DramReads.High, 4604 * 0.99);
  EXPECT_GT(All.DramReads.Low, 0);
}

TEST(DeviceTraffic, WhatFitsIntoL2MayStayThere) {
  // 1 MiB of output is L2's size; twice as much leaves it.
  auto Written = [](std::int64_t Blocks) {
    return predicted(program({access(0, Store, Thread)}), {{Blocks, 1, 1}, {256, 1, 1}})
        .total()
        .DramWrites;
  };
  EXPECT_EQ(Written(1024).Low, 0);
  EXPECT_EQ(Written(1024).High, 32768);
  EXPECT_EQ(Written(2048).Low, 65536);
  EXPECT_EQ(Written(2048).High, 65536);
}

TEST(DeviceTraffic, UnknownPlacesHaveBounds) {
  AccessProgram Gather = program({access(0, Load, Thread)});
  std::get<MemoryAccess>(Gather.Body.Items[0].What).Offset.reset();
  DeviceSectors All = predicted(Gather, {{100, 1, 1}, {256, 1, 1}}).total();
  EXPECT_EQ(All.L2Reads.Low, 800);
  EXPECT_EQ(All.L2Reads.High, 25600);
  EXPECT_EQ(All.DramReads.Low, 0);
  EXPECT_EQ(All.DramReads.High, 25600);
}

TEST(DeviceTraffic, EmptyAndImpossibleLaunches) {
  AccessProgram Copy = program({access(0, Load, Thread)});
  EXPECT_EQ(predicted(Copy, {{0, 1, 1}, {256, 1, 1}}).total().L2Reads.High, 0);
  auto TooLarge = deviceTraffic(Copy, {{1, 1, 1}, {2048, 1, 1}}, caches());
  ASSERT_FALSE(TooLarge);
  EXPECT_THAT(TooLarge.error().What, HasSubstr("threads"));
  AccessProgram TooMuch = program({access(0, Load, "0")}, Space::Shared);
  TooMuch.Objects[0].Bytes = Expr(1 << 20);
  EXPECT_FALSE(deviceTraffic(TooMuch, {{1, 1, 1}, {32, 1, 1}}, caches()));
}

TEST(SectorCache, LeastRecentlyUsedLinesGo) {
  SectorCache Cache(256, 128, 2); // two lines in one set
  EXPECT_FALSE(Cache.touch(0));
  EXPECT_TRUE(Cache.touch(0));
  EXPECT_FALSE(Cache.touch(1)); // of the same line, but another sector
  EXPECT_FALSE(Cache.touch(4));
  EXPECT_TRUE(Cache.touch(1));
  EXPECT_FALSE(Cache.touch(8)); // in the place of the second line
  EXPECT_TRUE(Cache.touch(0));
  EXPECT_FALSE(Cache.touch(4));
  EXPECT_TRUE(Cache.write(4));
  EXPECT_FALSE(Cache.write(4));
  SectorCache None(0, 128, 4);
  EXPECT_FALSE(None.touch(0));
  EXPECT_FALSE(None.touch(0));
}

TEST(DeviceReport, LinesAreLookedUpOneByOne) {
  const LaunchSize Launch{{10, 1, 1}, {64, 1, 1}};
  // 20 warps: each lane's word in a line of its own, then all in one.
  auto Apart = reportDeviceTraffic(program({access(0, Load, "128*threadIdx.x")}), Launch, caches());
  ASSERT_TRUE(Apart);
  EXPECT_EQ(Apart->likelyLines(), 20 * 32);
  auto Close = reportDeviceTraffic(program({access(0, Load, "4*threadIdx.x")}), Launch, caches());
  ASSERT_TRUE(Close);
  EXPECT_EQ(Close->likelyLines(), 20);
}

TEST(DeviceReport, AtomicsOnOneWordWaitForEachOther) {
  const LaunchSize Launch{{10, 1, 1}, {64, 1, 1}};
  auto One = reportDeviceTraffic(program({access(0, Atomic, "0"), access(1, Load, "0")}), Launch,
                                 caches());
  ASSERT_TRUE(One);
  EXPECT_EQ(One->atomicsOfOneWord(), 640);
  auto Each = reportDeviceTraffic(program({access(0, Atomic, "4*threadIdx.x")}), Launch, caches());
  ASSERT_TRUE(Each);
  EXPECT_EQ(Each->atomicsOfOneWord(), 0);
}
