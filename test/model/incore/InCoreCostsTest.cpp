//===- InCoreCostsTest.cpp - seconds of instructions on one core ----------===//

#include "model/incore/InCoreCosts.h"
#include "test/support/MeasuredQuantities.h"

#include <gmock/gmock.h>

#include <cmath>

using namespace ergon;
using testing::DoubleEq;
using testing::DoubleNear;
using testing::ElementsAre;

/// A core of 1 GHz: rates are then instructions a nanosecond.
static Pipeline core() {
  Pipeline Result;
  Result.IssuePerS = measured(4e9);
  Result.Operations = {{"add", "f64", 64, measured(3e-9), measured(2e9)},
                       {"add", "f64", 256, measured(3e-9), measured(2e9)},
                       {"mul", "f64", 256, measured(3e-9), measured(2e9)},
                       {"div", "f64", 64, measured(13e-9), measured(0.2e9)},
                       {"add", "i64", 64, measured(1e-9), measured(4e9)},
                       {"add", "i64", 256, std::nullopt, measured(3e9)},
                       {"exp", "f64", 64, std::nullopt, measured(0.05e9)}};
  Result.Streams = {
      {"l1", "load", 64, 1, measured(16e9)},   {"l1", "load", 256, 1, measured(64e9)},
      {"l1", "store", 256, 1, measured(32e9)}, {"l1", "load", 256, 2, measured(64e9)},
      {"l2", "load", 64, 1, measured(16e9)},   {"l2", "load", 128, 1, measured(30e9)},
      {"l2", "load", 256, 1, measured(32e9)},  {"l2", "load", 512, 1, measured(34e9)}};
  Result.Latencies = {{"l1", measured(4e-9)}};
  return Result;
}

TEST(InCoreCosts, TheBusiestUnitOrTheFrontEnd) {
  const Pipeline P = core();
  const InCoreCosts Prices(P);
  // Nine loads of 32 bytes, two a cycle, and four stores, one a cycle.
  const BoundTime Loads =
      Prices.busyS({10, {{{"load", "f64", 256}, 9}, {{"store", "f64", 256}, 4}}});
  EXPECT_THAT(Loads.S, DoubleEq(4.5e-9));
  EXPECT_EQ(Loads.Bound, "load");
  // Additions and multiplications have units of their own, but three vector operations a cycle are
  // the most: six take 2 ns.
  const BoundTime Vectors = Prices.busyS({6, {{{"add", "f64", 256}, 3}, {{"mul", "f64", 256}, 3}}});
  EXPECT_THAT(Vectors.S, DoubleEq(2e-9));
  EXPECT_EQ(Vectors.Bound, "vector");
  const BoundTime Issued = Prices.busyS({12, {{{"add", "i64", 64}, 6}}});
  EXPECT_THAT(Issued.S, DoubleEq(3e-9));
  EXPECT_EQ(Issued.Bound, "issue");
}

TEST(InCoreCosts, LoadsAndStoresTogether) {
  Pipeline P = core();
  // 2.5 accesses of 32 bytes a cycle: fewer than two loads and a store.
  P.Streams.push_back({"l1", "triad", 256, 1, measured(80e9)});
  const BoundTime Found =
      InCoreCosts(P).busyS({3, {{{"load", "f64", 256}, 10}, {{"store", "f64", 256}, 5}}});
  EXPECT_THAT(Found.S, DoubleEq(6e-9));
  EXPECT_EQ(Found.Bound, "accesses");
}

TEST(InCoreCosts, GathersByTheirLanes) {
  Pipeline P = core();
  P.Streams.push_back({"l1", "gather4", 256, 1, measured(8e9)});
  P.Streams.push_back({"l1", "gather8", 256, 1, measured(16e9)});
  const InCoreCosts Prices(P);
  // 32 bytes each: 4 ns with eight lanes of 4 bytes, 2 ns with four of 8.
  EXPECT_THAT(Prices.busyS({1, {{{"gather", "f32", 256}, 1}}}).S, DoubleEq(4e-9));
  EXPECT_THAT(Prices.busyS({1, {{{"gather", "i64", 256}, 1}}}).S, DoubleEq(2e-9));
  EXPECT_THAT(Prices.unpriced(), testing::IsEmpty());
}

TEST(InCoreCosts, GathersAndScattersDoNotOverlap) {
  Pipeline P = core();
  P.Streams.push_back({"l1", "gather8", 256, 1, measured(16e9)});
  P.Streams.push_back({"l1", "scatter8", 256, 1, measured(8e9)});
  const BoundTime Found =
      InCoreCosts(P).busyS({2, {{{"gather", "f64", 256}, 1}, {{"scatter", "f64", 256}, 1}}});
  EXPECT_THAT(Found.S, DoubleEq(6e-9));
  EXPECT_EQ(Found.Bound, "indexed");
}

TEST(InCoreCosts, OfMemoryByTheBytesOfAPass) {
  Pipeline P = core();
  P.Streams.push_back({"dram", "load", 64, 1, measured(2e9)});
  P.Latencies.push_back({"dram", measured(400e-9)});
  P.Passes = {{"load", 64, 1024, measured(4e9)},
              {"follow", 64, 1024, measured(8 / 100e-9)},
              {"load", 512, 4096, measured(30e9)},
              {"load", 64, 65536, measured(8e9)},
              {"follow", 64, 65536, measured(8 / 100e-9)}};
  const InCoreCosts Prices(P);
  auto PerS = [&](double Bytes) { return *Prices.bytesPerS("dram", "load", 64, Bytes) * 1e-9; };
  EXPECT_THAT(PerS(1024), DoubleEq(4));
  EXPECT_THAT(PerS(8192), DoubleNear(std::sqrt(32), 1e-9)); // halfway, in logarithms
  EXPECT_THAT(PerS(4 * 65536), DoubleNear(4, 1e-9));        // halfway to what is far away
  EXPECT_THAT(PerS(16 * 65536), DoubleEq(2));
  EXPECT_THAT(PerS(1e12), DoubleEq(2));
  EXPECT_THAT(PerS(0), DoubleEq(2)); // not known
  // Fewer bytes than were measured: on as between the first two, 2^(1/6) for a factor of two.
  EXPECT_THAT(PerS(512), DoubleNear(4 / std::pow(2, 1 / 6.), 1e-9));
  EXPECT_THAT(*Prices.bytesPerS("l2", "load", 64, 1024), DoubleEq(16e9));
  EXPECT_THAT(Prices.loadS("dram", 4096) * 1e9, DoubleNear(100, 1e-6));
  EXPECT_THAT(Prices.loadS("dram") * 1e9, DoubleNear(400, 1e-6));
}

TEST(InCoreCosts, AccessesWithoutPassesFollowLoads) {
  Pipeline P = core();
  P.Streams.push_back({"dram", "load", 64, 1, measured(4e9)});
  P.Streams.push_back({"dram", "load_page", 64, 1, measured(0.4e9)});
  P.Streams.push_back({"dram", "load_page", 64, 2, measured(0.4e9)});
  P.Passes = {{"load", 64, 1e3, measured(2e9)}, {"load", 64, 1e6, measured(8e9)}};
  EXPECT_THAT(*InCoreCosts(P).bytesPerS("dram", "load_page", {}, 1e3), DoubleNear(0.2e9, 1));
  EXPECT_THAT(*InCoreCosts(P).bytesPerS("dram", "load_page", {}, 1e6), DoubleNear(0.8e9, 1));
  // Each of two threads has half of the one's stream, and of its passes.
  EXPECT_THAT(*InCoreCosts(P, 2).bytesPerS("dram", "load_page", {}, 1e6), DoubleNear(0.4e9, 1));
}

TEST(InCoreCosts, WhatMainMemoryDoesNotHide) {
  Pipeline P = core();
  EXPECT_THAT(InCoreCosts(P).notHidden(1e6), DoubleEq(1 / 3.)); // not measured
  // A load takes 4 ns, an addition of a chain 3, both together 5: 1 of the 3.
  for (double Bytes : {1e3, 1e7}) {
    P.Passes.push_back({"load", 64, Bytes, measured(2e9)});
    P.Passes.push_back({"load_sum", 64, Bytes, measured(8 / 5e-9)});
  }
  P.Streams.push_back({"dram", "load", 64, 1, measured(2e9)});
  P.Streams.push_back({"dram", "load_sum", 64, 1, measured(8 / 7e-9)});
  const InCoreCosts Prices(P);
  EXPECT_THAT(Prices.notHidden(1e6), DoubleNear(1 / 3., 1e-9));
  EXPECT_THAT(Prices.notHidden(1e10), DoubleNear(1, 1e-9)); // 7 are all of both
}

TEST(InCoreCosts, TheMoreIsIssuedForALineTheFewerAreAhead) {
  Pipeline P = core();
  EXPECT_THAT(InCoreCosts(P).lookaheadS(50, 1e6, 64), DoubleEq(0)); // not measured
  for (double Bytes : {1e3, 1e7}) {
    P.Passes.push_back({"load", 512, Bytes, measured(64 / 4e-9)});
    P.Passes.push_back({"load_add16", 512, Bytes, measured(64 / 8e-9)});  // 16 additions
    P.Passes.push_back({"load_add16", 256, Bytes, measured(64 / 24e-9)}); // 32
  }
  const InCoreCosts Prices(P);
  auto MoreFor = [&](double Slots) { return Prices.lookaheadS(Slots, 1e6, 64) * 1e9; };
  EXPECT_THAT(MoreFor(0), DoubleNear(0, 1e-9));
  EXPECT_THAT(MoreFor(8), DoubleNear(2, 1e-9));
  EXPECT_THAT(MoreFor(24), DoubleNear(12, 1e-9));
  EXPECT_THAT(MoreFor(72), DoubleNear(30, 1e-9)); // 40 more at four a nanosecond
}

TEST(InCoreCosts, AccessesThatLieInTwoLines) {
  Pipeline P = core();
  // Every other vector of 32 bytes is two accesses, unless the profile knows better.
  EXPECT_THAT(InCoreCosts(P).besideFactor("load", 256, 64), DoubleEq(1.5));
  P.Streams.push_back({"l1", "load_beside", 256, 1, measured(25.6e9)});
  EXPECT_THAT(InCoreCosts(P).besideFactor("load", 256, 64), DoubleEq(2.5));
  EXPECT_THAT(InCoreCosts(P).besideFactor("store", 256, 64), DoubleEq(1.5));
}

TEST(InCoreCosts, FunctionsAreNotOverlapped) {
  const Pipeline P = core();
  const InCoreCosts Prices(P);
  // A call of 20 ns after 1 ns of other things.
  const BoundTime Found = Prices.busyS({4, {{{"exp", "f64", 64}, 1}}});
  EXPECT_THAT(Found.S, DoubleEq(20e-9));
  EXPECT_EQ(Found.Bound, "functions");
}

TEST(InCoreCosts, ChainsAddUpLatencies) {
  const Pipeline P = core();
  const InCoreCosts Prices(P);
  EXPECT_THAT(
      Prices.chainS({0, {{{"load", "f64", 64}, 1}, {{"add", "f64", 64}, 2}}}, Prices.loadS("l1")),
      DoubleEq(10e-9));
  EXPECT_TRUE(Prices.unpriced().empty());
}

TEST(InCoreCosts, WhatTheProfileDoesNotSayIsNamed) {
  const Pipeline P = core();
  const InCoreCosts Prices(P);
  // A comparison is done where additions are; nothing stands in for a root.
  EXPECT_THAT(Prices.chainS({0, {{{"max", "f64", 64}, 1}}}, 0), DoubleEq(3e-9));
  EXPECT_THAT(Prices.busyS({4, {{{"sqrt", "f64", 64}, 1}}}).S, DoubleEq(1e-9));
  EXPECT_THAT(Prices.unpriced(), ElementsAre("sqrt f64"));
}

TEST(InCoreCosts, AWindowOfWaitingInstructions) {
  Pipeline P = core();
  EXPECT_EQ(InCoreCosts(P).chainShare(64, 0), 1);
  P.SchedulerWindow = measured(64);
  // 32 instructions wait at once. Two chains of 64 in work: each has 32 left in the mean of both.
  EXPECT_THAT(InCoreCosts(P).chainShare(64, 0), DoubleEq(0.5));
  // Of a longer chain the next one begins when 32 instructions are left.
  EXPECT_THAT(InCoreCosts(P).chainShare(192, 0), DoubleEq(160.0 / 192));
  // Of short ones five are in work: of four half of the 16 wait, and the fifth is being begun.
  EXPECT_THAT(InCoreCosts(P).chainShare(16, 0), DoubleEq(1.0 / 5));
}

TEST(InCoreCosts, AWindowOfAllThatWasBegun) {
  Pipeline P = core();
  P.SchedulerWindow = measured(1e6);
  P.ReorderWindow = measured(128);
  // Of 512 slots the next chain's begin when 128 are left.
  EXPECT_THAT(InCoreCosts(P).chainShare(64, 512), DoubleEq(0.75));
  EXPECT_THAT(InCoreCosts(P).chainShare(64, 200), DoubleEq(0.5)); // one ends, one is in work
  EXPECT_THAT(InCoreCosts(P).chainShare(64, 64), DoubleEq(1.0 / 3));
}

TEST(InCoreCosts, PiecesOfCodeBetweenJumps) {
  Pipeline P = core();
  EXPECT_THAT(InCoreCosts(P).issueS(8, 5), DoubleEq(2e-9));
  P.Operations.push_back({"jump", "i64", 64, std::nullopt, measured(1e9)});
  EXPECT_THAT(InCoreCosts(P).issueS(8, 5), DoubleEq(5e-9));
  EXPECT_THAT(InCoreCosts(P).issueS(24, 5), DoubleEq(6e-9));
}

TEST(InCoreCosts, WhatEachOfSeveralThreadsHas) {
  Pipeline P = core();
  P.Shares = {{2, measured(0.5), measured(0.75)}};
  // Half of all units, and chains take a third longer; two threads load together what one does.
  const InCoreCosts Prices(P, 2);
  EXPECT_THAT(Prices.busyS({12, {}}).S, DoubleEq(6e-9));
  EXPECT_THAT(*Prices.bytesPerS("l1", "load", 256), DoubleEq(32e9));
  // Of 64 bits two threads were not measured: each has half of what one does alone, too.
  EXPECT_THAT(*Prices.bytesPerS("l1", "load", 64), DoubleEq(8e9));
  EXPECT_THAT(Prices.chainS({0, {{{"add", "f64", 64}, 2}}}, 0), DoubleEq(8e-9));
  EXPECT_THAT(InCoreCosts(P).busyS({12, {}}).S, DoubleEq(3e-9));
}

TEST(InCoreCosts, AStreamOfTheNearestWidth) {
  const Pipeline P = core();
  const InCoreCosts Prices(P);
  EXPECT_THAT(*Prices.bytesPerS("l1", "load", 32), DoubleEq(16e9));
  // Without a width, what the level gives to the best of vectors.
  EXPECT_THAT(*Prices.bytesPerS("l2", "load"), DoubleEq(34e9));
  EXPECT_FALSE(Prices.bytesPerS("l3", "load"));
}
