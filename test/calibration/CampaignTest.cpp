//===- CampaignTest.cpp - which samples are used, and when there are enough ===//

#include "calibration/Campaign.h"

#include <gmock/gmock.h>

#include <algorithm>

using namespace ergon;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {
struct Campaigns : testing::Test {
  std::vector<Probe> Probes{2};
  std::map<std::string, std::vector<double>> Earlier;
  std::size_t Taken = 0, Kept = 0;
  SamplingGoal Goal{.SampleS = 1e-3, .Least = 10, .Most = 20, .Attempts = 40, .RoundS = 60};
  CampaignHooks Hooks;
  SampleSizes Sizes;

  Campaigns() {
    Probes[0].Name = "one";
    Probes[1].Name = "two";
    for (Probe &P : Probes)
      P.Code = runnableKernels().front();
    say([](std::size_t) { return Timing{1e-3, 0, 1e9, 0}; });
    Hooks.Keep = [&](const Probe &, std::uint64_t, const std::vector<double> &Seconds) {
      Kept += Seconds.size();
      return true;
    };
    Hooks.Stop = [] { return false; };
    Hooks.Show = [](const Progress &) {};
    Hooks.Sizes = &Sizes;
  }
  /// What is said of the K-th sample, if it were of one iteration.
  void say(std::function<Timing(std::size_t)> What) {
    Hooks.Open = [this, What](const Probe &) -> TakeSample {
      return [this, What](std::uint64_t Iterations) {
        Timing Result = What(Taken++);
        Result.Seconds *= double(Iterations);
        return Result;
      };
    };
  }
  CampaignResult run() { return sampleAll(Probes, Earlier, Goal, 1e9, Hooks); }
};
} // namespace

TEST_F(Campaigns, AQuietMachine) {
  const CampaignResult Found = run();
  ASSERT_EQ(Found.Probes.size(), 2u);
  EXPECT_EQ(Found.Attempts, 20u); // no more than the least of each
  EXPECT_EQ(Kept, 20u);
  EXPECT_THAT(Found.Probes[0].Seconds.Median, DoubleNear(1e-3, 1e-12));
  EXPECT_THAT(Found.Wide, IsEmpty());
}

TEST_F(Campaigns, SamplesThatAreThereAreNotTakenAgain) {
  Earlier["one"] = std::vector<double>(10, 3e-3);
  const CampaignResult Found = run();
  EXPECT_EQ(Found.Attempts, 10u);
  EXPECT_EQ(Found.Probes[0].Seconds.Median, 3e-3);
}

TEST_F(Campaigns, EveryOtherSamplePreempted) {
  say([](std::size_t K) { return Timing{K % 2 ? 2e-3 : 1e-3, K % 2 ? 0.5 : 0.001, 1e9, 0}; });
  const CampaignResult Found = run();
  EXPECT_EQ(Found.End, CampaignEnd::Done);
  EXPECT_THAT(Found.Probes[1].Seconds.High, DoubleNear(1e-3, 1e-12));
  EXPECT_GE(Found.Preempted, 18u);
  EXPECT_EQ(Found.Useless, Found.Preempted);
  EXPECT_THAT(Found.Disturbed, IsEmpty());
}

TEST_F(Campaigns, WhatNeverGetsTightIsWideAndUsed) {
  say([](std::size_t K) { return Timing{1e-3 * (1 + 0.1 * double(K % 5)), 0, 1e9, 0}; });
  const CampaignResult Found = run();
  EXPECT_THAT(Found.Wide, ElementsAre("one", "two"));
  ASSERT_EQ(Found.Probes.size(), 2u);
  EXPECT_THAT(Found.Probes[0].Seconds.Median, DoubleNear(1.2e-3, 1e-12));
  EXPECT_LT(Found.Probes[0].Seconds.Low, Found.Probes[0].Seconds.Median);
}

/// All wait for 4 % of their time: none is good, and all are within 10 %.
TEST_F(Campaigns, DisturbedSamplesWhereThereAreNoOthers) {
  say([](std::size_t) { return Timing{1.04e-3, 0.04, 1e9, 0}; });
  const CampaignResult Found = run();
  EXPECT_EQ(Kept, 0u); // they are not among the good ones that are kept
  EXPECT_THAT(Found.Disturbed, ElementsAre("one", "two"));
  EXPECT_THAT(Found.Wide, ElementsAre("one", "two"));
  EXPECT_THAT(Found.Probes[0].Seconds.Low, DoubleNear(1.04e-3 * 0.96, 1e-12)); // has the true 1e-3
  EXPECT_EQ(Found.Attempts, 2 * 40 * Goal.Rounds);
}

TEST_F(Campaigns, ProbesThatRunAtAnotherClock) {
  say([](std::size_t) { return Timing{1e-3, 0, 0.95e9, 0}; });
  const CampaignResult Found = run();
  EXPECT_EQ(Found.ClockMoved, 0u);
  EXPECT_THAT(Found.OtherClockHz,
              ElementsAre(testing::Pair("one", 0.95e9), testing::Pair("two", 0.95e9)));
}

TEST_F(Campaigns, AClockThatMovesAndMoves) {
  say([](std::size_t K) { return Timing{1e-3, 0, 1e9 * (1 + 0.2 * double(K % 2)), 0.2}; });
  for (int K = 0; K != 8; ++K)
    Probes.push_back(Probes[0]);
  const CampaignResult Found = run();
  EXPECT_EQ(Found.End, CampaignEnd::TooBusy);
  EXPECT_EQ(Found.Useless, Found.Attempts);
  EXPECT_EQ(Found.ClockMoved, Found.Attempts);
  EXPECT_EQ(Found.Attempts, 320u); // enough to tell, at the end of a probe's round
}

TEST_F(Campaigns, StoppedByWhoKeepsThem) {
  Hooks.Keep = [](const Probe &, std::uint64_t, const std::vector<double> &) { return false; };
  EXPECT_EQ(run().End, CampaignEnd::Stopped);
  Hooks.Stop = [&] { return Taken > 100; };
  EXPECT_EQ(run().End, CampaignEnd::Stopped);
}

TEST_F(Campaigns, NoMemory) {
  Hooks.Open = [](const Probe &) { return TakeSample(); };
  EXPECT_THAT(run().Unmeasured, ElementsAre("one", "two"));
}

TEST_F(Campaigns, TimeLeftIsByWhatItTookSoFar) {
  std::vector<Progress> Seen;
  Goal.Most = 1000;
  Goal.Rounds = 3;
  Hooks.Show = [&](const Progress &P) { Seen.push_back(P); };
  say([](std::size_t K) { return Timing{1e-3 * (1 + 0.1 * double(K % 5)), 0, 1e9, 0}; });
  run();
  ASSERT_EQ(Seen.size(), 2 * Goal.Rounds);
  // One of two was not tight: both are expected twice again, a round's time each, and the second.
  EXPECT_GE(Seen[1].LeftS, 2 * 2 * Goal.RoundS);
  EXPECT_LT(Seen.back().LeftS, Goal.RoundS);
}
