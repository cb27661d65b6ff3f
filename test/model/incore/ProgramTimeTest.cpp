//===- ProgramTimeTest.cpp - time of loops on a CPU -----------------------===//

#include "model/incore/ProgramTime.h"
#include "model/incore/ModelErrors.h"
#include "test/support/AccessPrograms.h"
#include "test/support/MeasuredQuantities.h"

#include <gmock/gmock.h>

using namespace ergon;
using namespace ergon::accesses;
using testing::DoubleEq;
using testing::DoubleNear;

/// A core of 1 GHz with one cache.
static Pipeline core() {
  Pipeline Result;
  Result.IssuePerS = measured(4e9);
  Result.Operations = {{"add", "f64", 64, measured(3e-9), measured(2e9)},
                       {"add", "i64", 64, measured(1e-9), measured(4e9)}};
  Result.Streams = {{"l1", "load", 64, 1, measured(16e9)},
                    {"l1", "load", 256, 1, measured(64e9)},
                    {"dram", "load", 256, 1, measured(8e9)},
                    {"dram", "store", 256, 1, measured(4e9)},
                    {"dram", "load_page", 64, 1, measured(0.2e9)}};
  return Result;
}

/// A program of one loop over `i`, of \p Trips iterations, entered \p Entries times.
struct OneLoop {
  std::vector<MachineLoop> Made;
  AccessProgram Program;
  TrafficReport Moved{};

  OneLoop(std::vector<MachineLoop> MachineLoops, const std::string &Trips, AccessItem Access,
          const std::string &Entries = "1")
      : Made(std::move(MachineLoops)),
        Program(program({object("a")}, {loop("o", Entries, {loop("i", Trips, {Access})})})) {
    auto &Outer = std::get<AccessNest>(Program.Body.Items[0].What);
    std::get<AccessNest>(Outer.Items[0].What).Made = &Made;
    Moved.Through = {{"l1", 32768, 64, 8}};
    Moved.Accesses = {{LevelTraffic{}}};
  }
  ProgramTime time(const Pipeline &P) const {
    auto Result = timeOf(Program, Moved, P, 1);
    EXPECT_TRUE(Result) << (Result ? "" : Result.error().What);
    return Result.value_or(ProgramTime());
  }
};

static const InstructionMix FourSlots{4, {}}, EightSlots{8, {}};
static MachineLoop made(unsigned Step, InstructionMix Iteration,
                        std::vector<InstructionMix> Chains = {}) {
  return {Step, std::move(Iteration), std::move(Chains), {}};
}

TEST(ProgramTime, EachLoopDoesWhatTheWiderOnesLeave) {
  // Of 27 iterations three times 8 in 2 ns, then three in 1 ns each; twice.
  const OneLoop Loop({made(8, EightSlots), made(1, FourSlots)}, "27", load(0, "8*i"), "2");
  EXPECT_THAT(Loop.time(core()).TimeS, DoubleEq(2 * (3 * 2e-9 + 3 * 1e-9)));
  EXPECT_EQ(Loop.time(core()).Bound, "issue");
}

TEST(ProgramTime, TheWayInAndOutIsPaidWhereALoopRuns) {
  MachineLoop Wide = made(8, EightSlots);
  Wide.Entry = {40, {}};
  const OneLoop Runs({Wide, made(1, FourSlots)}, "8", load(0, "8*i")),
      DoesNot({Wide, made(1, FourSlots)}, "7", load(0, "8*i"));
  EXPECT_THAT(Runs.time(core()).TimeS, DoubleEq(12e-9));
  EXPECT_THAT(DoesNot.time(core()).TimeS, DoubleEq(7e-9));
}

TEST(ProgramTime, IterationsThatWaitForEachOther) {
  const InstructionMix Sum{0, {{{"add", "f64", 64}, 1}}};
  const OneLoop Loop({made(1, FourSlots, {Sum})}, "100", load(0, "8*i"), "10");
  EXPECT_THAT(Loop.time(core()).TimeS, DoubleEq(1000 * 3e-9));
  EXPECT_EQ(Loop.time(core()).Bound, "latency");
  Pipeline Wide = core();
  Wide.SchedulerWindow = measured(50); // the next hundred begins when 25 are left
  EXPECT_THAT(Loop.time(Wide).TimeS, DoubleEq(750 * 3e-9));
}

TEST(ProgramTime, ShortLoopsJump) {
  Pipeline Jumps = core();
  Jumps.Operations.push_back({"jump", "i64", 64, std::nullopt, measured(1e9)});
  // One iteration, the way in and the way out are a ns each, each time.
  const OneLoop Short({made(1, FourSlots)}, "1", load(0, "8*i"), "10");
  EXPECT_THAT(Short.time(Jumps).TimeS, DoubleEq(30e-9));
  EXPECT_EQ(Short.time(Jumps).Bound, "issue");
  // What the units take is not added to that.
  const OneLoop Long({made(1, {20, {}})}, "1", load(0, "8*i"), "10");
  EXPECT_THAT(Long.time(Jumps).TimeS, DoubleEq(70e-9));
}

TEST(ProgramTime, AnEndThatWaitsForAChainLetsNothingPass) {
  // 10 entries of 50.5 iterations in the mean, that wait for an addition, and so does their end.
  const InstructionMix Sum{0, {{{"add", "f64", 64}, 1}}},
      Ends{0, {{{"add", "f64", 64}, 1}, {{"branch", "i64", 64}, 1}}};
  Pipeline Wide = core();
  Wide.SchedulerWindow = measured(50.5);
  const OneLoop Goes({made(1, FourSlots, {Sum})}, "101/2", load(0, "8*i"), "10"),
      Waits({made(1, FourSlots, {Ends})}, "101/2", load(0, "8*i"), "10"),
      Foreseen({made(1, FourSlots, {Ends})}, "101", load(0, "8*i"), "10");
  EXPECT_THAT(Goes.time(Wide).TimeS, DoubleEq(505 * 3e-9 / 2));
  EXPECT_THAT(Waits.time(Wide).TimeS, DoubleEq(505 * 3e-9));
  EXPECT_THAT(Foreseen.time(Wide).TimeS, DoubleEq(1010 * 3e-9 * 3 / 4));
}

TEST(ProgramTime, CountsInNoOrderAreSurprises) {
  Pipeline P = core();
  P.Operations.push_back({"mispredict", "i64", 64, measured(5e-9), std::nullopt});
  P.Repeated = {{100, measured(0)}, {200, measured(1)}};
  // 10 entries of 8.5 iterations in the mean: 3.5 are left in the mean, and 5 are in five eighths
  // of a wide iteration. What is left ends each time, whether there is a wide one is 3.75 times not
  // as it mostly is.
  OneLoop Mean({made(8, EightSlots), made(1, FourSlots)}, "17/2", load(0, "8*i"), "10");
  EXPECT_THAT(Mean.time(P).TimeS, DoubleNear(6.25 * 2e-9 + 35e-9 + 13.75 * 5e-9, 1e-15));
  // The processor has met these 61.25 branches before.
  Mean.Moved.IsWarm = true;
  EXPECT_THAT(Mean.time(P).TimeS, DoubleNear(6.25 * 2e-9 + 35e-9, 1e-15));
  // Of 40 entries there are 245 branches: more than are known again.
  OneLoop Many({made(8, EightSlots), made(1, FourSlots)}, "17/2", load(0, "8*i"), "40");
  Many.Moved.IsWarm = true;
  EXPECT_THAT(Many.time(P).TimeS, DoubleNear(4 * (6.25 * 2e-9 + 35e-9 + 13.75 * 5e-9), 1e-15));
  // One more iteration each time, 10 times: that is not learned, until it has been met before.
  OneLoop Triangle({made(1, FourSlots)}, "o + 1", load(0, "8*i"), "10");
  EXPECT_THAT(Triangle.time(P).TimeS, DoubleNear(55e-9 + 50e-9, 1e-15));
  Triangle.Moved.IsWarm = true;
  EXPECT_THAT(Triangle.time(P).TimeS, DoubleNear(55e-9, 1e-15));
}

TEST(ProgramTime, MemoryOrTheCoreWhicheverIsLonger) {
  OneLoop Loop({made(1, FourSlots)}, "80", load(0, "8*i"));
  Loop.Moved.Accesses = {{LevelTraffic{.Loads = 80, .LoadMisses = 10}}};
  EXPECT_THAT(Loop.time(core()).TimeS,
              DoubleEq(80e-9)); // 10 lines of 64 bytes at 8 bytes/ns as well
  Loop.Moved.Accesses = {{LevelTraffic{.Loads = 80, .LoadMisses = 20}}};
  EXPECT_THAT(Loop.time(core()).TimeS, DoubleEq(160e-9));
  EXPECT_EQ(Loop.time(core()).Bound, "dram");
}

TEST(ProgramTime, AThirdOfTheShorterIsNotHidden) {
  // 80 additions wait for each other, 240 ns, while 10 lines come in 80.
  OneLoop Loop({made(1, FourSlots, {{0, {{{"add", "f64", 64}, 1}}}})}, "80", load(0, "8*i"));
  Loop.Moved.Accesses = {{LevelTraffic{.Loads = 80, .LoadMisses = 10}}};
  EXPECT_THAT(Loop.time(core()).TimeS, DoubleEq(240e-9 + 80e-9 / 3));
  EXPECT_EQ(Loop.time(core()).Bound, "latency");
}

TEST(ProgramTime, ARemainderThatDataDecideTakesTheMean) {
  // Of 27 iterations three times 8 in 2 ns; of the rest each runs the block of four slots once, and
  // that of eight in half of them.
  MachineLoop Rest = made(1, FourSlots);
  Rest.Iteration = std::nullopt;
  OneLoop Loop({made(8, EightSlots), Rest}, "27", load(0, "8*i"));
  auto &Outer = std::get<AccessNest>(Loop.Program.Body.Items[0].What);
  std::get<AccessNest>(Outer.Items[0].What).Executed = {{Expr(1), &FourSlots},
                                                        {Expr(Rational(1, 2)), &EightSlots}};
  EXPECT_THAT(Loop.time(core()).TimeS, DoubleEq(3 * 2e-9 + 3 * (1e-9 + 0.5 * 2e-9)));
}

TEST(ProgramTime, WhereObjectsOverlapTheScalarLoopRuns) {
  // Each row is added to itself, 16 numbers further on: from 0 to 100 in steps of one.
  MachineLoop Wide = made(8, EightSlots);
  Wide.Check = OverlapCheck{.Loops = 1};
  OneLoop Loop({Wide, made(1, FourSlots)}, "16", load(0, "8*i"), "10");
  EXPECT_THAT(Loop.time(core()).TimeS, DoubleEq(10 * 2 * 2e-9));
  auto &Outer = std::get<AccessNest>(Loop.Program.Body.Items[0].What);
  std::get<AccessNest>(Outer.Items[0].What).Items.push_back(store(0, "8*i + 8*o"));
  Loop.Moved.Accesses.resize(2, {LevelTraffic{}});
  EXPECT_THAT(Loop.time(core()).TimeS, DoubleEq(10 * 16 * 1e-9));
}

/// A parallel region whose loop has \p Inner, shared by the threads as thread 0 of the record does.
static AccessProgram region(std::vector<AccessItem> Inner, const std::vector<MachineLoop> &Made) {
  AccessProgram Result =
      program({object("a")},
              {loop("omp.thread", "2", {loop("i", "100", std::move(Inner), "[-omp.thread]")})});
  auto &Region = std::get<AccessNest>(Result.Body.Items[0].What);
  auto &Shared = std::get<AccessNest>(Region.Items[0].What);
  auto *Nested = std::get_if<AccessNest>(&Shared.Items[0].What);
  (Nested ? *Nested : Shared).Made = &Made;
  return Result;
}

TEST(ProgramTime, ThreadsShareALoop) {
  const std::vector<MachineLoop> Made = {made(1, FourSlots)};
  const AccessProgram Program = region({load(0, "8*i")}, Made);
  TrafficReport Moved{};
  Moved.Through = {{"l1", 32768, 64, 8}};
  Moved.Accesses = {{LevelTraffic{}}};
  const Pipeline P = core();
  const auto Alone = timeOf(Program, Moved, P, 1), Two = timeOf(Program, Moved, P, 1, {}, 2),
             Three = timeOf(Program, Moved, P, 1, {}, 3);
  ASSERT_TRUE(Alone && Two && Three);
  EXPECT_THAT(Alone->TimeS, DoubleNear(100e-9 + 0.4e-6, 1e-15));
  EXPECT_THAT(Two->TimeS, DoubleNear(50e-9 + 1e-6, 1e-15));
  EXPECT_EQ(Two->Bound, "parallel region");
  // Of 100 iterations the first two threads get 34.
  EXPECT_THAT(Three->TimeS, DoubleNear(34e-9 + 1e-6, 1e-12));
}

TEST(ProgramTime, TheLastThreadHasMostOfATriangle) {
  // The second half of the rows has three quarters of the work.
  const std::vector<MachineLoop> Made = {made(1, FourSlots)};
  const AccessProgram Program = region({loop("j", "i", {load(0, "8*j")})}, Made);
  TrafficReport Moved{};
  Moved.Through = {{"l1", 32768, 64, 8}};
  Moved.Accesses = {{LevelTraffic{}}};
  const Pipeline P = core();
  const auto Two = timeOf(Program, Moved, P, 1, {}, 2);
  ASSERT_TRUE(Two);
  EXPECT_THAT(Two->TimeS, DoubleNear(4950e-9 * 0.75 + 1e-6, 60e-9));
}

TEST(ProgramTime, TheIntervalIsWhatTheModelMisses) {
  const InstructionMix Sum{0, {{{"add", "f64", 64}, 1}}};
  const OneLoop Loop({made(1, FourSlots, {Sum})}, "100", load(0, "8*i"));
  const ProgramTime Time = Loop.time(core());
  EXPECT_THAT(Time.LowS, DoubleNear(0.7 * 300e-9, 1e-12));
  EXPECT_THAT(Time.HighS, DoubleNear(1.5 * 300e-9, 1e-12));
}

TEST(ProgramTime, PassesNarrowTheIntervalOfMemory) {
  LoopTime Far;
  Far.MemoryS = {{"dram", 1}};
  Far.Time = {1, "dram"};
  EXPECT_THAT(errorOf(Far, false).High, DoubleEq(2));
  EXPECT_THAT(errorOf(Far, true).High, DoubleEq(1.7));
  Far.Time.Bound = "latency";
  EXPECT_THAT(errorOf(Far, true).Low, DoubleEq(0.65));
}

TEST(ProgramTime, LinesThatAreStoredToAreFetchedAndWrittenBack) {
  OneLoop Loop({made(1, FourSlots)}, "80", store(0, "8*i"));
  // A store's line takes 16 ns, of which 8 are to fetch it.
  Loop.Moved.Accesses = {{LevelTraffic{.Stores = 80, .StoreMisses = 10, .WriteBacks = 10}}};
  EXPECT_THAT(Loop.time(core()).TimeS, DoubleEq(160e-9));
  Loop.Moved.Accesses = {{LevelTraffic{.Stores = 80, .StoreMisses = 10}}};
  EXPECT_THAT(Loop.time(core()).TimeS, DoubleEq(80e-9));
}

/// Of narrow loads a line has more, and memory knows earlier what comes.
TEST(ProgramTime, LoadsOfTheSameBytesAreAsNarrowOnes) {
  Pipeline P = core();
  P.Streams.push_back({"dram", "load", 64, 1, measured(16e9)}); // 256 bits: half as much
  const MachineLoop Wide = made(4, {4, {{{"load", "f64", 256}, 1}}});
  OneLoop Loop({Wide}, "80", load(0, "8*i"));
  Loop.Moved.Accesses = {{LevelTraffic{.Loads = 80, .LoadMisses = 20}}};
  EXPECT_THAT(Loop.time(P).TimeS, DoubleEq(20 * 8e-9));
  // Each vector three times; the lines come with one of them.
  auto &Outer = std::get<AccessNest>(Loop.Program.Body.Items[0].What);
  auto &Items = std::get<AccessNest>(Outer.Items[0].What).Items;
  Items.push_back(load(0, "8*i + 32"));
  Items.push_back(load(0, "8*i - 32"));
  Loop.Moved.Accesses.resize(3, {LevelTraffic{.Loads = 80}});
  EXPECT_THAT(Loop.time(P).TimeS, DoubleEq(20 * 4e-9));
  // Two that are neighbours in memory, and no bytes twice.
  Items = {load(0, "16*i"), load(0, "16*i + 8")};
  Loop.Moved.Accesses.resize(2);
  EXPECT_THAT(Loop.time(P).TimeS, DoubleEq(20 * 8e-9));
}

TEST(ProgramTime, ColumnsAreNotReadInOrder) {
  OneLoop Loop({made(1, FourSlots)}, "10", load(0, "4096*i"));
  Loop.Moved.Accesses = {{LevelTraffic{.Loads = 10, .LoadMisses = 10}}};
  EXPECT_THAT(Loop.time(core()).TimeS, DoubleEq(10 * 40e-9)); // 8 bytes at 0.2 bytes/ns
  // Other elements of the lines follow in later walks: in seven of eight the core alone is at work.
  Loop.Moved.Accesses = {{LevelTraffic{.Loads = 80, .LoadMisses = 10}}};
  EXPECT_THAT(Loop.time(core()).TimeS, DoubleEq(10 * 40e-9 + 7.0 / 8 * 10e-9));
}

TEST(ProgramTime, DataOfTheLoopAroundComeMeanwhile) {
  // The outer loop reads 64 lines in order, in 512 ns; the inner one is at work for 4 ns each time
  // that it is entered, so 400 ns of 100 times.
  const std::vector<MachineLoop> Made = {made(1, FourSlots)};
  AccessProgram Program =
      program({object("a")}, {loop("o", "100", {load(0, "8*o"), loop("i", "4", {})})});
  auto &Outer = std::get<AccessNest>(Program.Body.Items[0].What);
  std::get<AccessNest>(Outer.Items[1].What).Made = &Made;
  TrafficReport Moved{};
  Moved.Through = {{"l1", 32768, 64, 8}};
  Moved.Accesses = {{LevelTraffic{.Loads = 100, .LoadMisses = 64}}};
  const Pipeline P = core();
  EXPECT_THAT(timeOf(Program, Moved, P, 1)->TimeS, DoubleEq(512e-9));
  // Nobody knows in advance which lines come in columns: 40 ns each, after what is done inside.
  auto &Access = std::get<MemoryAccess>(Outer.Items[0].What);
  Access.Offset = formula("4096*o");
  EXPECT_THAT(timeOf(Program, Moved, P, 1)->TimeS, DoubleEq(400e-9 + 64 * 40e-9));
}

/// A core with a second cache, which gives 70 lines, 20 of them from memory.
struct ThroughTwoCaches : OneLoop {
  Pipeline Host = core();

  ThroughTwoCaches() : OneLoop({made(1, FourSlots)}, "80", load(0, "8*i")) {
    Host.Streams.push_back({"l2", "load", 256, 1, measured(32e9)});
    Host.Streams.push_back({"l2", "store", 256, 1, measured(32e9)});
    Moved.Through = {{"l1", 32768, 64, 8}, {"l2", 1048576, 64, 8}};
    Moved.Accesses = {
        {LevelTraffic{.Loads = 80, .LoadMisses = 70}, LevelTraffic{.Loads = 70, .LoadMisses = 20}}};
  }
};

TEST(ProgramTime, WhatCachesGiveIsNotHiddenBehindMemory) {
  ThroughTwoCaches TwoCaches;
  // 20 lines of memory take 160 ns. Of 70 of the second cache, 50 come from there: 2 ns each.
  EXPECT_THAT(TwoCaches.time(TwoCaches.Host).TimeS, DoubleEq(160e-9 + 50 * 2e-9));
  // Where memory is hardly used there is nothing to hide behind.
  TwoCaches.Moved.Accesses[0][1].LoadMisses = 1;
  EXPECT_THAT(TwoCaches.time(TwoCaches.Host).TimeS, DoubleEq(70 * 2e-9));
}

TEST(ProgramTime, VectorsInTwoLinesAreMoreLoads) {
  const InstructionMix Load{1, {{{"load", "f64", 256}, 2}}};
  // From 8 bytes into a line on, vectors of 32 bytes: every other one lies in two.
  const OneLoop Aligned({made(4, Load)}, "4000", load(0, "8*i")),
      Shifted({made(4, Load)}, "4000", load(0, "8*i + 8"));
  EXPECT_THAT(Aligned.time(core()).TimeS, DoubleEq(1000e-9));
  EXPECT_THAT(Shifted.time(core()).TimeS, DoubleEq(1500e-9));
  Pipeline Slow = core(); // measured: two cycles for two vectors of such a stream
  Slow.Streams.push_back({"l1", "load_beside", 256, 1, measured(32e9)});
  EXPECT_THAT(Shifted.time(Slow).TimeS, DoubleEq(2000e-9));
  EXPECT_THAT(Aligned.time(Slow).TimeS, DoubleEq(1000e-9));
}

TEST(ProgramTime, WhereIterationsDifferTheirBlocksCount) {
  OneLoop Loop({MachineLoop{1, std::nullopt, {}, {}}}, "100", load(0, "8*i"));
  auto &Outer = std::get<AccessNest>(Loop.Program.Body.Items[0].What);
  auto &Inner = std::get<AccessNest>(Outer.Items[0].What);
  Inner.Executed = {{formula("1"), &FourSlots}, {formula("1/4"), &EightSlots}};
  EXPECT_THAT(Loop.time(core()).TimeS, DoubleEq(150e-9));
}

TEST(ProgramTime, ALevelWithoutAStreamIsAnError) {
  OneLoop Loop({made(1, FourSlots)}, "80", load(0, "8*i"));
  Loop.Moved.Accesses = {{LevelTraffic{.Loads = 80, .LoadMisses = 10}}};
  Pipeline Less = core();
  Less.Streams.resize(2);
  auto Found = timeOf(Loop.Program, Loop.Moved, Less, 1);
  ASSERT_FALSE(Found);
  EXPECT_EQ(Found.error().What, "the profile has no bandwidth of dram");
}
