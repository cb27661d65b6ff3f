//===- LineOrderTest.cpp - in what order lines are asked for --------------===//

#include "model/incore/LineOrder.h"
#include "model/incore/LineTransferCosts.h"
#include "test/support/AccessPrograms.h"
#include "test/support/MeasuredQuantities.h"

#include <gmock/gmock.h>

#include <cmath>

using namespace ergon;
using namespace ergon::accesses;
using testing::DoubleEq;
using testing::DoubleNear;

static LineOrder orderOf(const std::string &Offset,
                         std::vector<std::pair<std::string, double>> Entries) {
  std::vector<LoopAround> Around;
  for (const auto &[Variable, Trips] : Entries)
    Around.push_back({Variable, Trips});
  return lineOrder(std::get<MemoryAccess>(load(0, Offset).What), Around, 64);
}

TEST(LineOrder, RowsThatFollowEachOtherAreOneStream) {
  EXPECT_TRUE(orderOf("8*j + 800*i", {{"i", 100}, {"j", 100}}).isInOrder());
  // All but the first and the last of each row: the same lines.
  EXPECT_TRUE(orderOf("8*j + 800*i + 808", {{"i", 98}, {"j", 98}}).isInOrder());
  // The same row again and again.
  EXPECT_TRUE(orderOf("8*j", {{"i", 100}, {"j", 100}}).isInOrder());
}

TEST(LineOrder, ALineOfEachRow) {
  const LineOrder Column = orderOf("8*j + 6400*i", {{"j", 800}, {"i", 100}});
  EXPECT_TRUE(Column.LeavesBytes);
  EXPECT_THAT(Column.RunLines, DoubleEq(1));
  EXPECT_THAT(Column.GapLines, DoubleEq(99));
  const LineOrder Line = orderOf("64*i", {{"i", 100}});
  EXPECT_TRUE(Line.isInOrder() && Line.LeavesBytes);
}

TEST(LineOrder, AccessesBesideEachOtherAreOneRun) {
  const AccessItem Part = load(0, "128*i");
  const std::vector<LoopAround> Around = {{"i", 100}};
  const auto &Access = std::get<MemoryAccess>(Part.What);
  // One number of two lines each; with 15 others all of both lines.
  EXPECT_TRUE(lineOrder(Access, Around, 64).LeavesBytes);
  EXPECT_FALSE(lineOrder(Access, Around, 64).isInOrder());
  EXPECT_FALSE(lineOrder(Access, Around, 64, 128).LeavesBytes);
  EXPECT_TRUE(lineOrder(Access, Around, 64, 128).isInOrder());
}

TEST(LineOrder, PartsOfRows) {
  // 32 elements are four lines, where rows begin on one: 100 lines on.
  const LineOrder Aligned = orderOf("8*j + 6400*i", {{"i", 100}, {"j", 32}});
  EXPECT_FALSE(Aligned.LeavesBytes);
  EXPECT_THAT(Aligned.RunLines, DoubleEq(4));
  EXPECT_THAT(Aligned.GapLines, DoubleEq(96));
  // Else one more is touched, but for where the first element begins one.
  EXPECT_THAT(orderOf("8*j + 6408*i", {{"i", 100}, {"j", 32}}).RunLines, DoubleEq(4 + 7. / 8));
}

TEST(LineOrder, WhereNoFormulaTells) {
  EXPECT_FALSE(orderOf("64*i^2", {{"i", 100}}).IsKnown);
  // Of rows that begin anywhere each is a run.
  const LineOrder Triangle = orderOf("8*j + 4*i^2", {{"i", 100}, {"j", 50}});
  EXPECT_TRUE(Triangle.IsKnown);
  EXPECT_THAT(Triangle.RunLines, DoubleEq((400. + 56) / 64));
}

TEST(LineTransferCosts, ARunBeginsLate) {
  Pipeline P;
  // A line in order takes 2 ns, of each fourth one 6 ns, on each page 10 ns.
  P.Streams = {{"dram", "load", 256, 1, measured(32e9)},
               {"dram", "load_4_lines", 64, 1, measured(8 / 6e-9)},
               {"dram", "load_page", 64, 1, measured(0.8e9)}};
  const InCoreCosts Core(P);
  const LineTransferCosts Prices(Core, 64);
  auto Of64 = [&](double Run, double Gap) {
    return *Prices.loadS("dram", {.RunLines = Run, .GapLines = Gap}, {.Bits = 64}) * 1e9;
  };
  EXPECT_THAT(Of64(1, 3), DoubleEq(6));
  EXPECT_THAT(Of64(1, 100), DoubleEq(10));
  EXPECT_THAT(Of64(5, 100), DoubleEq((10 + 4 * 6) / 5.));
  EXPECT_THAT(Of64(8, 2), DoubleEq((2 * 6 + 6 * 2) / 8.));
  EXPECT_THAT(Of64(256, 1000), DoubleEq((10 + 127 * 6 + 128 * 2) / 256.));
}

TEST(LineTransferCosts, WhatWasNotMeasuredIsAsTheNearest) {
  Pipeline P;
  P.Streams = {{"dram", "load", 256, 1, measured(32e9)}};
  const InCoreCosts Core(P);
  const LineTransferCosts Prices(Core, 64);
  EXPECT_THAT(*Prices.loadS("dram", {.RunLines = 1, .GapLines = 3}, {.Bits = 64}), DoubleEq(2e-9));
  EXPECT_THAT(*Prices.loadS("dram", {.IsKnown = false}, {.Bits = 64}), DoubleEq(2e-9));
  EXPECT_FALSE(Prices.loadS("l2", {}, {.Bits = 64}));
  EXPECT_FALSE(Prices.writeBackS("dram", 64));
}

TEST(LineTransferCosts, AStoredLineBesideLoadsAndAlone) {
  Pipeline P;
  // Loads 2 ns a line, stores 3 ns, both to the same 2.5 ns; a line loaded and another one stored
  // to together 4 ns.
  P.Streams = {{"dram", "load", 64, 1, measured(64 / 2e-9)},
               {"dram", "store", 64, 1, measured(64 / 3e-9)},
               {"dram", "update", 64, 1, measured(128 / 2.5e-9)},
               {"dram", "copy", 64, 1, measured(128 / 4e-9)},
               {"dram", "load_line", 64, 1, measured(8 / 5e-9)}};
  const InCoreCosts Core(P);
  const LineTransferCosts Prices(Core, 64);
  EXPECT_THAT(*Prices.writeBackS("dram", 64) * 1e9, DoubleNear(0.5, 1e-9));
  EXPECT_THAT(*Prices.storeS("dram", {}, {.Bits = 64}, false) * 1e9,
              DoubleNear(2.5, 1e-9)); // 3 less 0.5
  EXPECT_THAT(*Prices.storeS("dram", {}, {.Bits = 64}, true) * 1e9,
              DoubleNear(1.5, 1e-9)); // 4 less 2 and 0.5
  // Stores to lines in no order wait for them as loads do.
  EXPECT_THAT(*Prices.storeS("dram", {.IsKnown = false}, {.Bits = 64}, true),
              *Prices.loadS("dram", {.IsKnown = false}, {.Bits = 64}));
  // Some bytes of each line: one access is as wide as the line, and so was measured.
  EXPECT_THAT(*Prices.loadS("dram", {.LeavesBytes = true}, {.Bits = 512}) * 1e9,
              DoubleNear(5, 1e-9));
  EXPECT_THAT(*Prices.loadS("dram", {.LeavesBytes = true}, {.Bits = 256}) * 1e9,
              DoubleNear(2, 1e-9));
}

TEST(LineTransferCosts, CachesKeepWhatAPassStores) {
  Pipeline P;
  P.Streams = {{"dram", "load", 64, 1, measured(64 / 2e-9)},
               {"dram", "store", 64, 1, measured(64 / 3e-9)},
               {"dram", "update", 64, 1, measured(128 / 2.5e-9)}};
  P.Passes = {{"store", 64, 1e3, measured(64 / 4e-9)}, {"store", 64, 1e6, measured(64 / 4e-9)}};
  const InCoreCosts Core(P);
  const LineTransferCosts Prices(Core, 64);
  // Of more than they keep 3 less the 0.5 of the write-back, which is counted when it happens.
  EXPECT_THAT(*Prices.storeS("dram", {}, {.Bits = 64, .LoopBytes = 1e6}, false) * 1e9,
              DoubleNear(4, 1e-9));
  EXPECT_THAT(*Prices.storeS("dram", {}, {.Bits = 64, .LoopBytes = 1e9}, false) * 1e9,
              DoubleNear(2.5, 1e-9));
  // Between, straight in logarithms: half of it is counted with the line.
  EXPECT_THAT(*Prices.storeS("dram", {}, {.Bits = 64, .LoopBytes = 4e6}, false) * 1e9,
              DoubleNear(std::sqrt(12) - 0.25, 1e-6));
}

TEST(LineTransferCosts, OfMemoryThoseOfTheWidth) {
  Pipeline P;
  P.Streams = {{"dram", "load", 64, 1, measured(32e9)}, {"dram", "load", 512, 1, measured(16e9)},
               {"l2", "load", 64, 1, measured(32e9)},   {"l2", "load", 512, 1, measured(64e9)},
               {"dram", "load", 64, 2, measured(40e9)}, {"dram", "load", 512, 2, measured(32e9)}};
  const InCoreCosts Alone(P), CoreCosts(P, 2);
  const LineTransferCosts TransferCosts(Alone, 64), Two(CoreCosts, 64);
  EXPECT_THAT(*TransferCosts.loadS("dram", {}, {.Bits = 64}), DoubleEq(2e-9));
  EXPECT_THAT(*TransferCosts.loadS("dram", {}, {.Bits = 512}), DoubleEq(4e-9));
  EXPECT_THAT(*Two.loadS("dram", {}, {.Bits = 64}), DoubleEq(3.2e-9));
  EXPECT_THAT(*Two.loadS("dram", {}, {.Bits = 512}), DoubleEq(4e-9));
  // A cache gives what it has, and the core asks for it as it can.
  EXPECT_THAT(*TransferCosts.loadS("l2", {}, {.Bits = 64}), DoubleEq(1e-9));
}
