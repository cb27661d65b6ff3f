//===- PlanTest.cpp - work on many processors and a network ---------------===//

#include "model/cluster/Plan.h"
#include "model/cluster/Collectives.h"
#include "model/symbolic/Formula.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace ergon;

/// One core each, 100 units a second, 50 W idle and 80 W busy; t_s = 2 s, t_w = 0.1 s.
static Plan nodes(std::size_t Count) {
  Plan P;
  P.Kinds = {{1, {}, {{100, 50, 80}}}};
  for (std::size_t N = 0; N < Count; ++N) {
    P.Processors.push_back({"n" + std::to_string(N), 0});
    P.Ranks.push_back(N);
  }
  P.Network = Link{10, 2};
  return P;
}

static std::vector<std::size_t> ranks(std::size_t Count) {
  std::vector<std::size_t> Ranks(Count);
  std::iota(Ranks.begin(), Ranks.end(), 0);
  return Ranks;
}

/// Rank 0 works 3 s, then rank 0 sends 30 bytes to rank 1: 2 + 3 s. 8 s in all: 2·50·8 J idle,
/// and 30·3 J on top.
TEST(Plan, WorkAndAMessageByHand) {
  Plan P = nodes(2);
  P.Steps = {ComputeStep{0, {{0, 0, 1, 1, 300}}}, ExchangeStep{{{0, 1, 30}}, 1}};
  const Outcome O = outcomeOf(P);
  EXPECT_DOUBLE_EQ(O.MakespanS, 8);
  EXPECT_DOUBLE_EQ(O.Processors[0].EnergyJ, 50 * 8 + 30 * 3);
  EXPECT_DOUBLE_EQ(O.Processors[1].EnergyJ, 50 * 8);
  EXPECT_DOUBLE_EQ(O.Processors[0].BusyS, 3);
  EXPECT_DOUBLE_EQ(O.energy(), 890);
}

/// 5 tasks of 1 s on 3 of 4 cores: 2, 2 and 1, so 2 s; 5 core-seconds of 30 W each. At the
/// second state from there on, which idles at 60 W: another 2 s (t_s of an empty copy).
TEST(Plan, TasksAreDealtInTurnAndStatesStay) {
  Plan P = nodes(1);
  P.Kinds = {{4, {}, {{100, 50, 80}, {100, 60, 90}}}, {1, {}, {{1, 5, 5}}}};
  P.Processors.push_back({"gpu", 1});
  P.Attached = {{1, 0, {10, 2}}};
  P.Steps = {ComputeStep{0, {{0, 1, 5, 3, 100}}}, CopyStep{0, 1, 0, true}};
  const Outcome O = outcomeOf(P);
  EXPECT_DOUBLE_EQ(O.MakespanS, 4);
  EXPECT_DOUBLE_EQ(O.Processors[0].EnergyJ, 60 * 4 + 30 * 5);
  EXPECT_DOUBLE_EQ(O.Processors[1].EnergyJ, 5 * 4);
}

/// A ring of three with rank 0 late by 3 s: its messages to 1 and from 2 start at 3, that from 1 to
/// 2 at 0. Empty messages take 2 s: 0 ends at 5, 1 at 5, 2 at 5; the one from 1 to 2 at 2.
TEST(Plan, AMessageWaitsForBothRanks) {
  Plan P = nodes(3);
  P.Steps = {ComputeStep{0, {{0, 0, 1, 1, 300}}}};
  P.Steps.push_back(exchangesOf(Collective::Ring, ranks(3), 0)[0]);
  EXPECT_DOUBLE_EQ(outcomeOf(P).MakespanS, 5);
}

/// The messages of a collective take what the table of collectives says, for any number of ranks:
/// start-ups and bytes apart. The table rounds no logarithm of ours.
TEST(Plan, CollectivesCostWhatIsPublished) {
  for (std::size_t What = 0; What < CollectiveNames.size(); ++What) {
    const CollectiveAlgorithm *Cost = findCollectiveCost(CollectiveNames[What]);
    if (!Cost) {
      EXPECT_EQ(CollectiveNames[What], "ring");
      continue;
    }
    for (std::size_t Count = 1; Count <= 33; ++Count) {
      Plan P = nodes(Count);
      const auto Exchanges = exchangesOf(Collective(What), ranks(Count), 7);
      P.Steps.assign(Exchanges.begin(), Exchanges.end());
      const Formula::Values V = {{"p", double(Count)}};
      const double Starts = Formula::parse(Cost->Starts)->evaluate(V).value();
      const double Shares = Formula::parse(Cost->Shares)->evaluate(V).value();
      EXPECT_NEAR(outcomeOf(P).MakespanS, Starts * 2 + Shares * 7 / 10, 1e-9)
          << CollectiveNames[What] << " of " << Count;
    }
  }
}

/// After an allreduce every rank has every rank's part; after a broadcast the root's.
TEST(Plan, CollectivesReachEveryone) {
  for (std::size_t Count = 1; Count <= 20; ++Count)
    for (Collective What : {Collective::AllReduce, Collective::Broadcast}) {
      std::vector<std::vector<bool>> Found(Count, std::vector<bool>(Count));
      for (std::size_t N = 0; N < Count; ++N)
        Found[N][N] = true;
      const std::size_t Root = Count / 3;
      for (const ExchangeStep &Step : exchangesOf(What, ranks(Count), 1, Root)) {
        const auto Before = Found;
        for (const Transfer &T : Step.Transfers)
          for (std::size_t Part = 0; Part < Count; ++Part)
            if (Before[T.From][Part])
              Found[T.To][Part] = true;
      }
      for (std::size_t N = 0; N < Count; ++N)
        for (std::size_t Part = 0; Part < Count; ++Part)
          if (What == Collective::AllReduce || Part == Root)
            EXPECT_TRUE(Found[N][Part]) << Count << ": " << N << " lacks " << Part;
    }
}
