//===- CalibrationTest.cpp - statistics, probes and profiles of them ------===//

#include "calibration/CalibratedMachine.h"
#include "calibration/Measure.h"
#include "formats/profile/ProfileFormat.h"
#include "model/incore/InCoreCosts.h"
#include "test/support/MeasuredQuantities.h"
#include "test/support/ProbedMachines.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

using namespace ergon;
using testing::DoubleEq;
using testing::DoubleNear;

TEST(Sampling, MiddleOfSamples) {
  // 16 samples: n/2 ± 0.98·4 are the 4th and the 12th, from 0 the 3rd and 12th.
  std::vector<double> Values;
  for (int K = 1; K <= 16; ++K)
    Values.push_back(K);
  const MedianInterval Found = medianInterval(Values);
  EXPECT_EQ(Found.Median, 8.5);
  EXPECT_EQ(Found.Low, 4);
  EXPECT_EQ(Found.High, 13);
  EXPECT_EQ(Found.Outliers, 0u);
}

TEST(Sampling, OutliersAreCountedAndLeftOut) {
  // The median is 10, that of the distances 1: 5·1.4826 is the limit.
  const MedianInterval Found = medianInterval({9, 10, 11, 9, 10, 11, 17.4, 17.5, 2.5});
  EXPECT_EQ(Found.Outliers, 2u);
  EXPECT_EQ(Found.Samples, 7u);
  EXPECT_EQ(Found.Median, 10);
  EXPECT_EQ(Found.High, 17.4);
}

TEST(Sampling, OneSampleAndEqualOnes) {
  EXPECT_EQ(medianInterval({3}).Low, 3);
  const MedianInterval Equal = medianInterval({5, 5, 5, 5, 5, 5, 5});
  EXPECT_EQ(Equal.High, 5);
  EXPECT_EQ(Equal.relative(), 0);
}

TEST(Sampling, VerdictsAreByTheClockOfMostSamples) {
  // Code that runs 4 % slower than the start's clock does so in all samples.
  std::vector<Timing> Timings(9, {1e-3, 0, 3.53e9, 0});
  Timings[2].Waited = 0.006;
  Timings[4].ClockMove = 0.03;
  Timings[6].ClockHz = 3.69e9;
  const Classification Found = classify(Timings);
  EXPECT_EQ(Found.ClockHz, 3.53e9);
  EXPECT_EQ(Found.Verdicts[0], Verdict::Good);
  EXPECT_EQ(Found.Verdicts[2], Verdict::Preempted);
  EXPECT_EQ(Found.Verdicts[4], Verdict::ClockMoved);
  EXPECT_EQ(Found.Verdicts[6], Verdict::ClockMoved);
  EXPECT_THAT(disturbance(Timings[2], Found.ClockHz), DoubleNear(0.006, 1e-12));
  EXPECT_THAT(disturbance(Timings[6], Found.ClockHz), DoubleNear(0.16 / 3.53, 1e-12));
}

static const Probe *probe(const ProbeTable &Table, const std::string &Name) {
  const auto Found = std::ranges::find(Table.Probes, Name, &Probe::Name);
  return Found == Table.Probes.end() ? nullptr : &*Found;
}

TEST(Sampling, FewerAdditionsInACycleAreASharedCore) {
  CoreWatch Cores;
  EXPECT_EQ(Cores.shared(2), 0); // nobody knows better
  for (int K = 0; K != 10; ++K)
    Cores.see(4);
  Cores.see(6); // once: an error of the clock
  EXPECT_EQ(Cores.shared(4), 0);
  EXPECT_EQ(Cores.shared(3), 0.25);
  EXPECT_EQ(Cores.shared(0), 0); // nobody looked
  for (int K = 0; K != 2000; ++K)
    Cores.see(K % 10 ? 4 : 4 + 0.01 * K); // one in ten is an error, and few of them are alike
  EXPECT_EQ(Cores.shared(4), 0);
}

TEST(Sampling, WhatWasGoodUntilTheCoreWasSeenAlone) {
  const std::vector<Timing> Taken(12, Timing{1e-3, 0, 1e9, 0, 2});
  SampleSet Samples;
  SampleTotals Totals;
  EXPECT_EQ(Samples.add(Taken, 1, Totals).Seconds.size(), 12u);
  EXPECT_TRUE(Samples.isEnough(SamplingGoal()));
  for (int K = 0; K != 10; ++K)
    theCores().see(4);
  EXPECT_FALSE(Samples.isEnough(SamplingGoal()));
  EXPECT_FALSE(Samples.conclude(SamplingGoal()));
  EXPECT_TRUE(Samples.add(Taken, 1, Totals).Seconds.empty());
  EXPECT_EQ(Totals.CoreShared, 12u);
}

TEST(Sampling, MemoryIsAsFastAsItMostlyIs) {
  MemoryWatch Memory;
  Timing Taken{.Seconds = 1e-3, .Threads = 2, .MemoryPerS = 30e9};
  EXPECT_EQ(Memory.moved(Taken), 0); // nobody knows better
  for (double Value : {20e9, 40e9, 40e9})
    Memory.see(2, Value);
  Memory.see(1, 10e9); // of one thread another thing
  EXPECT_EQ(Memory.usual(2), 40e9);
  EXPECT_EQ(Memory.moved(Taken), 0.25);
  Taken.MemoryPerS = 0;
  EXPECT_EQ(Memory.moved(Taken), 0); // nobody looked
}

TEST(Sampling, SamplesOfAnotherMemoryAreDropped) {
  for (int K = 0; K != 5; ++K)
    theMemory().see(7, 10e9);
  const Timing Usual{.Seconds = 1e-3, .ClockHz = 1e9, .Threads = 7, .MemoryPerS = 10.5e9},
      Slow{.Seconds = 2e-3, .ClockHz = 1e9, .Threads = 7, .MemoryPerS = 5e9};
  SampleSet Samples;
  SampleTotals Totals;
  EXPECT_EQ(Samples.add({Usual, Slow, Usual}, 1, Totals).Seconds.size(), 2u);
  EXPECT_EQ(Totals.MemoryMoved, 1u);
  EXPECT_EQ(Totals.Useless, 0u); // nothing was on the processor
  // It turns out that the slow one is how memory mostly is.
  for (int K = 0; K != 10; ++K)
    theMemory().see(7, 5e9);
  EXPECT_THAT(Samples.good(), testing::IsEmpty());
}

TEST(Probes, AStreamFromMemory) {
  const Probe Stream = memoryStream(20 << 20, 2);
  EXPECT_EQ(Stream.Code->Operation, std::string("load"));
  EXPECT_EQ(Stream.Bytes, 20u << 20);
  EXPECT_EQ(Stream.Visit, 1u << 20);
  EXPECT_EQ(Stream.Threads, 2u);
}

TEST(Probes, SizesFollowTheCaches) {
  const ProbeTable Table = probesFor(twoCores());
  EXPECT_THAT(Table.LeftOut, testing::IsEmpty());
  EXPECT_EQ(probe(Table, "load-f64-64-l1-1thread")->Bytes, 16u << 10);
  EXPECT_EQ(probe(Table, "copy-f64-64-l1-1thread")->Bytes, 8u << 10); // two streams
  // 2^15 and 2^20 have the geometric mean 2^17.5: 45.25 pages.
  EXPECT_EQ(probe(Table, "load-f64-64-l2-2threads")->Bytes, 45u * 4096);
  EXPECT_EQ(probe(Table, "load-f64-64-l3-1thread")->Bytes, 724u * 4096);  // 2^20 and 2^23
  EXPECT_EQ(probe(Table, "load-f64-64-l3-2threads")->Bytes, 512u * 4096); // half of it for each
  // Four times 32 KiB + 1 MiB + 8 MiB, whole MiB of it.
  EXPECT_EQ(probe(Table, "load-f64-64-dram-1thread")->Bytes, 36u << 20);
  EXPECT_EQ(probe(Table, "add-f64-64-chain-2threads"), nullptr);
  // Pages by number, whatever the caches are: of three pages and a line each.
  EXPECT_EQ(probe(Table, "translate-f64-64-4096pages-1thread")->Bytes, 4096u * (3 * 4096 + 64));
}

TEST(Probes, FlushedDataAreFetchedOnce) {
  if (!canFlush())
    GTEST_SKIP() << "no instruction to flush a line";
  Probe Flushed;
  for (const Kernel *K : runnableKernels())
    if (std::string_view(K->Operation) == "load" && K->Type == ElementType::F64 && K->Bits == 64)
      Flushed.Code = K;
  ASSERT_TRUE(Flushed.Code);
  Flushed.Bytes = Flushed.Visit = 32 << 10;
  Flushed.Level = "l1";
  auto Seconds = [](const Probe &P) {
    const ProbeRun Run(P, allowedProcessors());
    std::vector<double> Found;
    for (int Sample = 0; Sample != 15; ++Sample)
      Found.push_back(Run.take(20).Seconds / 20);
    return medianInterval(Found).Median;
  };
  const double NearS = Seconds(Flushed);
  Flushed.Level = "dram";
  Flushed.IsFlushed = true;
  EXPECT_EQ(Flushed.warmUp(), 0u);
  EXPECT_EQ(Flushed.fetchedBytes(64), 32u << 10);
  // A line takes ten times as long as eight loads from L1, and more.
  EXPECT_GT(Seconds(Flushed), 2 * NearS);
}

TEST(Probes, CachesKeepWhatIsFlushed) {
  if (!canFlush())
    GTEST_SKIP() << "no instruction to flush a line";
  const ProbedMachine M = {
      {{.Level = "l1", .Bytes = 32 << 10}, {.Level = "l2", .Bytes = 1 << 20}}, 2, 1 << 30};
  std::set<std::string> Names;
  unsigned Flushed = 0;
  for (const Probe &P : probesFor(M).Probes) {
    EXPECT_TRUE(Names.insert(P.Name).second) << P.Name;
    if (!P.IsFlushed)
      continue;
    ++Flushed;
    EXPECT_EQ(P.Threads, 1u);
    EXPECT_EQ(P.Visit, P.Bytes);
    EXPECT_LE(P.Bytes * (P.Code->Reads + P.Code->Writes), 512u << 10) << P.Name;
  }
  EXPECT_GT(Flushed, 50u);
}

TEST(CalibratedMachine, ADisturbedMixtureDoesNotWidenAll) {
  static constexpr const char *Operations[] = {"mul_add",   "div_add",    "load_add", "load_add2",
                                               "load_add4", "load_add16", "triad"};
  std::vector<Kernel> Kernels(std::size(Operations));
  std::vector<Probe> Probes(std::size(Operations));
  std::vector<MixedProbe> Mixed;
  for (std::size_t K = 0; K != std::size(Operations); ++K) {
    Kernels[K].Operation = Operations[K];
    Probes[K].Code = &Kernels[K];
    for (int Width = 0; Width != 10; ++Width)
      Mixed.push_back({&Probes[K], 1, Width % 2 ? 1.05 : 0.95});
  }
  Mixed.back().PredictedS = 37; // a busy machine: one part was measured while others ran
  Machine M;
  fillMachine(M, {}, Mixed, {}, 64, "c");
  for (const auto &Error : {M.Fit.Quality->TimeError, M.Fit.Quality->TimeErrorBelow}) {
    EXPECT_GT(std::exp(1.96 * Error->Value), 1.05);
    EXPECT_LT(std::exp(1.96 * Error->Value), 1.1);
  }
}

TEST(CalibratedMachine, ProbesOfTheCoreAreBroughtToOneClock) {
  Kernel Narrow{}, Wide{};
  Narrow.Bits = 64;
  Wide.Bits = 512;
  Probe Alone, Slow;
  Alone.Code = &Narrow;
  Slow.Code = &Wide;
  Probe Near = Alone, Far = Alone, Together = Alone;
  Near.Level = "l2";
  Far.Level = "dram";
  Together.Threads = 2;
  std::vector<Measured> All = {{&Alone, {10, 9, 11}, 3e9}, {&Near, {10, 9, 11}, 4e9},
                               {&Far, {10, 9, 11}, 3e9},   {&Alone, {10, 9, 11}, 4e9},
                               {&Slow, {10, 9, 11}, 3e9},  {&Together, {10, 9, 11}, 3.5e9},
                               {&Alone, {10, 9, 11}, 4e9}};
  EXPECT_EQ(bringToOneClock(All).size(), 5u);
  EXPECT_THAT(All[0].Seconds.Median, DoubleEq(7.5)); // as many cycles of 4 GHz
  EXPECT_THAT(All[0].Seconds.High, DoubleEq(8.25));
  // Of memory, and of cores that are slower together or with wide vectors.
  for (std::size_t Kept : {1, 2, 3, 4, 5, 6})
    EXPECT_THAT(All[Kept].Seconds.Median, DoubleEq(10)) << Kept;
  All[0] = {&Alone, {10, 9, 11}, 3e9};
  All[1].ClockHz = 0; // from an earlier run
  EXPECT_TRUE(bringToOneClock(All).empty());
  EXPECT_THAT(All[0].Seconds.Median, DoubleEq(10));
}

TEST(Probes, NoneOfMemoryThatFitsACache) {
  ProbedMachine Small = twoCores();
  Small.FreeBytes = 64 << 20;
  const ProbeTable Table = probesFor(Small);
  EXPECT_EQ(probe(Table, "load-f64-64-dram-1thread"), nullptr);
  // Eight streams of twice 32 KiB + 1 MiB + 8 MiB; of 4 MiB of L3 for each of two.
  EXPECT_THAT(Table.LeftOut,
              testing::ElementsAre(testing::StartsWith("dram on 1 threads: data of 144 MiB are "),
                                   testing::StartsWith("dram on 2 threads: data of 161 MiB are ")));
}

TEST(Probes, LessMemoryMakesStreamsShorter) {
  ProbedMachine Smaller = twoCores();
  // Eight streams of four times all caches are 289 MiB, and 322 MiB of two threads.
  Smaller.FreeBytes = 200 << 20;
  const ProbeTable Table = probesFor(Smaller), Whole = probesFor(twoCores());
  EXPECT_THAT(Table.LeftOut, testing::IsEmpty());
  for (const char *Name : {"load-f64-64-dram-1thread", "load-f64-64-dram-2threads"}) {
    const double Share = double(probe(Table, Name)->Bytes) / double(probe(Whole, Name)->Bytes);
    EXPECT_THAT(Share, DoubleNear(0.5, 0.05)) << Name;
  }
}

TEST(Probes, CountsOfAPass) {
  const ProbeTable Table = probesFor(twoCores());
  // 362 pages each way in f64; a stored line is fetched and written back.
  const auto Copy = probe(Table, "copy-f64-64-l3-1thread")->counts(1, 64);
  const double Bytes = 362 * 4096;
  EXPECT_EQ(Copy.at("loads_memory"), Bytes / 8);
  EXPECT_EQ(Copy.at("store_bytes_memory"), Bytes);
  EXPECT_EQ(Copy.at("bytes_l1"), 2 * Bytes);
  EXPECT_EQ(Copy.at("bytes_l2"), 3 * Bytes);
  EXPECT_EQ(Copy.at("bytes_l3"), 3 * Bytes);
  EXPECT_FALSE(Copy.contains("bytes_dram"));
  // One load of each fourth line, on two threads, twice.
  const Probe &Lines = *probe(Table, "load_4_lines-f64-64-l2-2threads");
  const auto Strided = Lines.counts(2, 64);
  EXPECT_EQ(Strided.at("loads_memory"), 2 * 2 * (45 << 12) / 256);
  EXPECT_EQ(Strided.at("bytes_l2"), 2 * 2 * (45 << 12) / 4);
  // What no cache holds is gone through in parts.
  const Probe &InMemory = *probe(Table, "load-f64-64-dram-1thread");
  EXPECT_EQ(InMemory.Visit, 1u << 20);
  EXPECT_EQ(InMemory.counts(3, 64).at("bytes_dram"), 3 << 20);
  EXPECT_EQ(InMemory.warmUp(), 0u);
  // Of data in no order each page was asked for: of 16384 loads an iteration.
  const Probe &List = *probe(Table, "follow-i64-64-chain-dram-1thread");
  EXPECT_EQ(List.warmUp(), (2 * List.Bytes / 4096 + 16383) / 16384);
}

/// A machine of 1 GHz whose additions take 4 cycles and multiplications 3, 2 of each a cycle; a
/// load a cycle from L1.
TEST(CalibratedMachine, FromKnownTimes) {
  const ProbeTable Table = probesFor(twoCores());
  std::vector<Measured> All;
  auto Takes = [&](const char *Name, double OperationNs) {
    const Probe *Subject = probe(Table, Name);
    ASSERT_TRUE(Subject) << Name;
    const double S = 1e-9 * OperationNs * double(Subject->steps() * Subject->Code->Operations);
    All.push_back({Subject, {S, S / 1.01, S * 1.01, 10, 0}});
  };
  Takes("add-f64-64-chain-1thread", 4);
  Takes("mul-f64-64-chain-1thread", 3);
  Takes("sqrt-f64-64-chain-1thread", 20);
  Takes("add-f64-64-1thread", 0.5);
  Takes("mul-f64-64-1thread", 0.5);
  Takes("add-f64-64-2threads", 0.5);
  Takes("load-f64-64-l1-1thread", 1);
  Takes("translate-f64-64-4096pages-1thread", 6);
  Takes("branches_random-i64-64-chain-1thread", 3);
  Takes("branches_known-i64-64-chain-1thread", 1);
  Takes("branches_of_128k-i64-64-chain-1thread", 2);
  Takes("branches_of_4k-i64-64-chain-1thread", 0.9);
  Takes("mul_add-f64-64-chain-1thread", 7);
  Takes("load_add4-f64-64-l1-1thread", 2.5);
  const std::vector<MixedProbe> Mixed = predictMixed(All);
  ASSERT_THAT(Mixed, testing::SizeIs(2));
  EXPECT_THAT(Mixed[0].error(), DoubleNear(0, 1e-12));    // 4 + 3
  EXPECT_THAT(Mixed[1].error(), DoubleNear(-0.2, 1e-12)); // 4 additions take 2 and not 2.5
  Machine M;
  M.Name = "m";
  M.Description = "made up";
  M.Sources["c"] = {SourceKind::Measured, "made up", "2026", "", std::string("none")};
  fillMachine(M, All, Mixed, {1e9}, 64, "c");
  EXPECT_THAT(M.Timing.Throughputs.at("flops_f64").PerS.Value,
              DoubleNear(4e9, 1)); // on two threads
  EXPECT_THAT(M.Timing.Throughputs.at("bytes_l1").PerS.Value, DoubleNear(8e9, 1));
  EXPECT_FALSE(M.Timing.Throughputs.contains("loads_memory"));
  EXPECT_EQ(M.Fit.Quality->TimeErrorBelow->Value, 0); // no prediction is too high
  EXPECT_GT(std::exp(1.96 * M.Fit.Quality->TimeError->Value), 1 / 0.8);
  const Pipeline &P = *M.Timing.InCore;
  EXPECT_EQ(P.CoreHz->Median.Value, 1e9);
  ASSERT_THAT(P.Operations, testing::SizeIs(4));
  EXPECT_THAT(P.Operations[0].LatencyS->Median.Value, DoubleNear(4e-9, 1e-15));
  EXPECT_THAT(P.Operations[0].PerS->Median.Value, DoubleNear(2e9, 1));
  EXPECT_EQ(P.Operations[2].Operation, "sqrt");
  EXPECT_THAT(P.Operations[2].LatencyS->Median.Value,
              DoubleNear(17e-9, 1e-15)); // less a multiplication
  ASSERT_THAT(P.Streams, testing::SizeIs(1));
  EXPECT_THAT(P.Streams[0].BytesPerS.Median.Value, DoubleNear(8e9, 1));
  ASSERT_THAT(P.Translations, testing::SizeIs(1));
  EXPECT_EQ(P.Translations[0].Pages, 4096u);
  EXPECT_THAT(P.Translations[0].LoadS.Median.Value, DoubleNear(6e-9, 1e-15));
  // Of half of the branches that are mispredicted.
  EXPECT_THAT(P.Operations[3].LatencyS->Median.Value, DoubleNear(4e-9, 1e-15));
  ASSERT_THAT(P.Repeated, testing::SizeIs(2));
  EXPECT_EQ(P.Repeated[0].Branches, 4096u);
  EXPECT_EQ(P.Repeated[0].Mispredicted.Median.Value, 0);
  EXPECT_EQ(P.Repeated[1].Branches, 131072u);
  EXPECT_THAT(P.Repeated[1].Mispredicted.Median.Value, DoubleNear(0.5, 1e-12));
  // What is written can be read, and says the same.
  const std::string Text = writeProfile(M);
  const auto Again = parseProfile(Text);
  ASSERT_TRUE(Again) << Again.error().line();
  EXPECT_EQ(writeProfile(*Again), Text);
}

//===----------------------------------------------------------------------===//
// One name on both sides
//===----------------------------------------------------------------------===//

static std::vector<const Kernel *> allKernels() {
  std::vector<const Kernel *> Result;
  for (const KernelList &List : {kernelsBase(), kernelsAvx2(), kernelsAvx512()})
    for (std::size_t K = 0; K != List.Size; ++K)
      Result.push_back(List.Begin + K);
  return Result;
}

TEST(Names, StreamsThatTheModelAsksForAreMeasured) {
  if (kernelsAvx2().Size == 0)
    GTEST_SKIP() << "there are gathers on x86 alone";
  std::set<std::string_view> Measured;
  for (const Kernel *AllKernel : allKernels())
    if ((AllKernel->Reads || AllKernel->Writes) && !AllKernel->InChain && !AllKernel->ByPages)
      Measured.insert(AllKernel->Operation);
  for (std::string_view Name : StreamNames)
    EXPECT_TRUE(Measured.contains(Name)) << Name;
  // Of four streams: how many at once are ahead is shown, and asked for by nothing yet.
  Measured.erase("load4");
  for (const Kernel *K : allKernels())
    if (!K->IsIsolated) // mixtures, which hold what the others say against what is measured
      Measured.erase(K->Operation);
  for (std::string_view Name : Measured)
    EXPECT_TRUE(std::ranges::find(StreamNames, Name) != std::end(StreamNames)) << Name;
}

/// Each kind of instruction that code is said to execute has a price where all kernels were
/// measured.
TEST(Names, WhatCodeExecutesIsPriced) {
  if (kernelsAvx2().Size == 0)
    GTEST_SKIP() << "there are gathers on x86 alone";
  Pipeline P;
  for (const Kernel *AllKernel : allKernels())
    if (AllKernel->Reads || AllKernel->Writes)
      P.Streams.push_back({"l1", AllKernel->Operation, AllKernel->Bits, 1, measured(1e9)});
    else
      P.Operations.push_back({AllKernel->Operation, std::string(name(AllKernel->Type)),
                              AllKernel->Bits, measured(1e-9), measured(1e9)});
  const InCoreCosts Prices(P);
  // As model/program/Instructions.h lists them, and functions that are measured.
  for (const char *Operation :
       {"add", "mul", "fma", "div", "sqrt", "max", "convert", "extend", "shuffle", "logic", "load",
        "store", "gather", "scatter", "exp", "log", "sin"})
    for (const char *Type : {"f32", "f64", "i32", "i64"}) {
      const BoundTime Found = Prices.busyS({1, {{{Operation, Type, 256}, 1}}});
      EXPECT_GT(Found.S, 0) << Operation << " " << Type;
    }
  EXPECT_THAT(Prices.unpriced(), testing::IsEmpty());
}
