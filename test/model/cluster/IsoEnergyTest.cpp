//===- IsoEnergyTest.cpp - energy efficiency at scale ---------------------===//
//
// The model on numbers small enough for the hand; searches on curves that are known;
// the costs of collectives against exchanges written out. The paper's own closed forms
// are in IsoEnergyPaperTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "model/cluster/Application.h"
#include "model/cluster/Collectives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace ergon;

static ClusterQuantity constant(double Value) { return {{Value, "s"}, std::nullopt, 0}; }

/// An instruction takes 1 s at 1 MHz, an access 2 s, a message 3 s, a byte 0.5 s; the
/// system draws 10 W, computing 4 W more, memory 2 W more.
static ClusterTerms smallMachine() {
  using enum ClusterTerm;
  return {{ComputationS, {{1, "s"}, 1, -1}},
          {MemoryS, constant(2)},
          {MessageS, constant(3)},
          {ByteS, constant(0.5)},
          {IdleW, constant(10)},
          {ComputationW, constant(4)},
          {MemoryW, constant(2)}};
}

static const Workload Small{.Computation = 6,
                            .Memory = 3,
                            .ComputationOverhead = 2,
                            .MemoryOverhead = -1,
                            .Messages = 4,
                            .MessageBytes = 8};

/// At 1 MHz and α = 1/2: T_1 = 6 + 6 = 12 s, E_1 = 0.5·12·10 + 6·4 + 6·2 = 96 J.
/// T_o = 2 - 2 + 12 + 4 = 16 s, E_o = 0.5·16·10 + 2·4 - 2·2 = 84 J.
TEST(IsoEnergy, AddsUpByHand) {
  const auto E = isoEnergy({smallMachine()}, 0.5, Small, {1, 4, 1});
  ASSERT_TRUE(E) << E.error().Why;
  EXPECT_DOUBLE_EQ(E->SequentialS, 6);
  EXPECT_DOUBLE_EQ(E->SequentialJ, 96);
  EXPECT_DOUBLE_EQ(E->overheadJ(), 84);
  EXPECT_DOUBLE_EQ(E->parallelJ(), 180);
  EXPECT_DOUBLE_EQ(E->eef(), 84.0 / 96);
  EXPECT_DOUBLE_EQ(E->efficiency(), 96.0 / 180);
  EXPECT_DOUBLE_EQ(E->ParallelS, 14);
  EXPECT_DOUBLE_EQ(E->wallS(), 3.5);
  EXPECT_DOUBLE_EQ(E->performance(), 12.0 / 28);
  EXPECT_DOUBLE_EQ(E->powerW(), 180 / 3.5);
  EXPECT_DOUBLE_EQ(E->overhead(IsoPart::Computation).ActiveJ, 8);
  EXPECT_DOUBLE_EQ(E->overhead(IsoPart::Computation).IdleJ, 10);
  EXPECT_DOUBLE_EQ(E->overhead(IsoPart::Memory).ActiveJ, -4);
  EXPECT_DOUBLE_EQ(E->overhead(IsoPart::Memory).IdleJ, -10);
  EXPECT_DOUBLE_EQ(E->overhead(IsoPart::Network).ActiveJ, 0);
  EXPECT_DOUBLE_EQ(E->overhead(IsoPart::Network).IdleJ, 80);
  EXPECT_EQ(E->dominant(), IsoPart::Network);
}

/// Twice the clock halves t_c alone: T_1 = 3 + 6, E_1 = 45 + 12 + 12.
TEST(IsoEnergy, EachTermFollowsTheClockByItsOwnLaw) {
  const auto E = isoEnergy({smallMachine()}, 0.5, Small, {1, 4, 2});
  ASSERT_TRUE(E);
  EXPECT_DOUBLE_EQ(E->SequentialJ, 69);
  ClusterTerms Terms = smallMachine();
  Terms[ClusterTerm::IdleW] = {{10, "s"}, 1, 2};
  EXPECT_DOUBLE_EQ(isoEnergy({Terms}, 0.5, Small, {1, 4, 2})->SequentialJ, 180 + 24);
}

/// Equation 11: 16 s of network at 5 W on top. Equation 9: 7 s of input and output at 3 W
/// in both E_1 and E_p, α·7·10 + 21 J.
TEST(IsoEnergy, NetworkAndIoHaveTheirPowers) {
  ClusterTerms Terms = smallMachine();
  Terms[ClusterTerm::NetworkW] = constant(5);
  EXPECT_DOUBLE_EQ(isoEnergy({Terms}, 0.5, Small, {1, 4, 1})->overheadJ(), 84 + 16 * 5);
  Workload WithIo = Small;
  WithIo.IoS = 7;
  EXPECT_EQ(isoEnergy({Terms}, 0.5, WithIo, {1, 4, 1}).error().Why,
            "the machine's vector has no io_w (ΔP_IO)");
  Terms[ClusterTerm::IoW] = constant(3);
  const auto E = isoEnergy({Terms}, 0.5, WithIo, {1, 4, 1});
  ASSERT_TRUE(E);
  EXPECT_DOUBLE_EQ(E->SequentialJ, 96 + 35 + 21);
  EXPECT_DOUBLE_EQ(E->overheadJ(), 84 + 16 * 5);
}

/// Four processors on two nodes of 5 W: one node at p = 1, so E_1 = 96 + 6·5 = 126 J; two at p = 4,
/// for 14/4 s: E_p = 180 + 14/4·2·5 = 215 J. Sharing saves half of a node for each of the 6 s.
TEST(IsoEnergy, ProcessorsShareANode) {
  IsoMachine Shared{smallMachine(), 2};
  Shared.Terms[ClusterTerm::NodeIdleW] = constant(5);
  const auto E = isoEnergy(Shared, 0.5, Small, {1, 4, 1});
  ASSERT_TRUE(E) << E.error().Why;
  EXPECT_DOUBLE_EQ(E->SequentialJ, 126);
  EXPECT_DOUBLE_EQ(E->parallelJ(), 215);
  EXPECT_DOUBLE_EQ(E->overhead(IsoPart::Sharing).energy(), -6 * 5 / 2.0);
  EXPECT_DOUBLE_EQ(E->overhead(IsoPart::Sharing).TimeS, 0);
  // Five processors need a third node, which has but one of them.
  EXPECT_DOUBLE_EQ(Shared.nodes(5), 3);
  EXPECT_DOUBLE_EQ(Shared.onFullest(5), 2);
}

/// Two without overhead on one node: 6 s of it in place of 12·0.5 s, so EE is above 1:
/// E_1 = 60 + 24 + 12 + 6·20 = 216 J, E_2 = 216 - 3·20 = 156 J.
TEST(IsoEnergy, EfficiencyWithinANodeIsAboveOne) {
  IsoMachine Shared{smallMachine(), 2};
  Shared.Terms[ClusterTerm::NodeIdleW] = constant(20);
  const auto E = isoEnergy(Shared, 0.5, {.Computation = 6, .Memory = 3}, {1, 2, 1});
  ASSERT_TRUE(E) << E.error().Why;
  EXPECT_DOUBLE_EQ(E->efficiency(), 216.0 / 156);
  EXPECT_DOUBLE_EQ(E->performance(), 1);
  EXPECT_EQ(E->dominant(), IsoPart::Sharing);
}

/// On a node of 4 a third of the partners of p = 10 are near: (4 - 1)/(10 - 1). Their messages take
/// 1 s for 3 s and 0.25 s a byte for 0.5 s, and no power of the network.
TEST(IsoEnergy, MessagesWithinANodeAreItsOwn) {
  IsoMachine Shared{smallMachine(), 4};
  Shared.Terms[ClusterTerm::NetworkW] = constant(5);
  const auto OnNetwork = isoEnergy(Shared, 0.5, Small, {1, 10, 1});
  ASSERT_TRUE(OnNetwork);
  EXPECT_DOUBLE_EQ(OnNetwork->overhead(IsoPart::Network).TimeS, 0.5 * 16);
  EXPECT_DOUBLE_EQ(OnNetwork->overhead(IsoPart::Network).ActiveJ, 5 * 16 * 2.0 / 3);
  Shared.Terms[ClusterTerm::NodeMessageS] = constant(1);
  Shared.Terms[ClusterTerm::NodeByteS] = constant(0.25);
  const auto Near = isoEnergy(Shared, 0.5, Small, {1, 10, 1});
  ASSERT_TRUE(Near);
  EXPECT_DOUBLE_EQ(Near->overhead(IsoPart::Network).TimeS, 0.5 * (16 * 2.0 / 3 + 6 / 3.0));
  // On one node, the network is not asked.
  EXPECT_DOUBLE_EQ(isoEnergy(Shared, 0.5, Small, {1, 4, 1})->overhead(IsoPart::Network).ActiveJ, 0);
}

/// A node's memory serves an access in 1.5 s. One processor does not wait for it: 6 s of work and 6
/// of accesses are more than 3·1.5. Four ask for 4·3·1.5 = 18 s of it in 12: 6 s of waiting.
TEST(IsoEnergy, ProcessorsWaitForTheMemoryOfTheirNode) {
  IsoMachine Shared{smallMachine(), 4};
  Shared.Terms[ClusterTerm::NodeMemoryS] = constant(1.5);
  const Workload Work{.Computation = 6, .Memory = 3};
  const auto E = isoEnergy(Shared, 1, Work, {1, 4, 1});
  ASSERT_TRUE(E) << E.error().Why;
  EXPECT_DOUBLE_EQ(E->SequentialS, 12);
  EXPECT_DOUBLE_EQ(E->overhead(IsoPart::Memory).TimeS, 6);
  EXPECT_DOUBLE_EQ(E->overhead(IsoPart::Memory).ActiveJ, 0);
  EXPECT_DOUBLE_EQ(E->overhead(IsoPart::Memory).IdleJ, 60);
  EXPECT_DOUBLE_EQ(isoEnergy(Shared, 1, Work, {1, 2, 1})->overheadJ(), 0);
}

/// Less overhead than none: EE = 96/92 is above 1 and stays so.
TEST(IsoEnergy, EfficiencyAboveOneIsNotClipped) {
  Workload Less = Small;
  Less.Messages = Less.MessageBytes = 0;
  Less.ComputationOverhead = 0;
  Less.MemoryOverhead = -0.5; // E_o = -0.5·1·10 + -1·2 = -7
  const auto E = isoEnergy({smallMachine()}, 0.5, Less, {1, 4, 1});
  ASSERT_TRUE(E);
  EXPECT_DOUBLE_EQ(E->efficiency(), 96.0 / 89);
  EXPECT_EQ(E->dominant(), IsoPart::Memory);
}

TEST(IsoEnergy, HasNoValueWhereTheWorkloadIsNone) {
  Workload Bad = Small;
  Bad.MemoryOverhead = -3.5;
  auto E = isoEnergy({smallMachine()}, 0.5, Bad, {1, 4, 1});
  ASSERT_FALSE(E);
  EXPECT_EQ(E.error().Why, "W_m + W_mo is negative there");
  EXPECT_FALSE(E.error().Everywhere);
  Bad = Small;
  Bad.Messages = -1;
  EXPECT_EQ(isoEnergy({smallMachine()}, 0.5, Bad, {1, 4, 1}).error().Why, "M is negative there");
  Bad.Messages = NAN;
  EXPECT_FALSE(isoEnergy({smallMachine()}, 0.5, Bad, {1, 4, 1}));
  EXPECT_EQ(isoEnergy({smallMachine()}, 0.5, {}, {1, 4, 1}).error().Why,
            "E_1 or E_p is not above 0 there");
}

/// What multiplies nothing need not be stated.
TEST(IsoEnergy, NamesTheTermThatIsMissing) {
  ClusterTerms Terms = smallMachine();
  Terms.erase(ClusterTerm::MessageS);
  auto E = isoEnergy({Terms}, 0.5, Small, {1, 4, 1});
  ASSERT_FALSE(E);
  EXPECT_EQ(E.error().Why, "the machine's vector has no message_s (t_msg)");
  EXPECT_TRUE(E.error().Everywhere);
  Workload NoMessages = Small;
  NoMessages.Messages = 0;
  EXPECT_TRUE(isoEnergy({Terms}, 0.5, NoMessages, {1, 4, 1}));
}

//===----------------------------------------------------------------------===//
// Elasticities and searches
//===----------------------------------------------------------------------===//

/// Of a machine where an instruction is a second and a joule: EE = W_c/(W_c + W_co).
static IsoModel ofOverhead(std::function<double(double N, double P)> Overhead) {
  using enum ClusterTerm;
  IsoModel Result;
  Result.Machine.Terms = {
      {ComputationS, constant(1)}, {IdleW, constant(1)}, {ComputationW, constant(0)}};
  Result.Work = [=](double N, double P) -> std::expected<Workload, NoEfficiency> {
    return Workload{.Computation = N, .ComputationOverhead = Overhead(N, P)};
  };
  return Result;
}

/// EE = n/(n + p²): d ln EE/d ln p = -2p²/(n + p²), d ln EE/d ln n = p²/(n + p²).
TEST(IsoEnergy, ElasticitiesAreDerivatives) {
  const IsoModel M = ofOverhead([](double, double P) { return P * P; });
  const Elasticities E = elasticities(M, {50, 10, 1});
  EXPECT_NEAR(*E.P, -200.0 / 150, 1e-6);
  EXPECT_NEAR(*E.N, 100.0 / 150, 1e-6);
  EXPECT_NEAR(*E.Mhz, 0, 1e-12);
  EXPECT_EQ(E.dominant(), "p");
}

/// In steps: between p = 5 and 20, EE goes from 50/75 to 50/450.
TEST(IsoEnergy, WhatGoesInStepsIsSeenOverADoubling) {
  IsoModel M = ofOverhead([](double, double P) { return P * P; });
  M.HasSteps = true;
  EXPECT_NEAR(*elasticities(M, {50, 10, 1}).P, std::log((50.0 / 450) / (50.0 / 75)) / std::log(4),
              1e-12);
  // One processor has nothing below it: 50/51 to 50/54.
  EXPECT_NEAR(*elasticities(M, {50, 1, 1}).P, std::log(51.0 / 54) / std::log(2), 1e-12);
}

TEST(IsoEnergy, NothingDominatesWhereNothingMoves) {
  const IsoModel M = ofOverhead([](double N, double) { return N; });
  EXPECT_EQ(elasticities(M, {50, 10, 1}).dominant(), "");
}

/// n/(n + p²) >= 0.8 up to p² = n/4; for n = 10^6 that is p = 500, and n = 4p² for p = 7.
TEST(IsoEnergy, FindsTheLastProcessorAndTheFirstSize) {
  const IsoModel M = ofOverhead([](double, double P) { return P * P; });
  auto P = processorsThatKeep(0.8, M, {1e6, 1, 1}, 1 << 20);
  ASSERT_EQ(P.size(), 1u);
  EXPECT_EQ(P[0].First, 1);
  EXPECT_EQ(P[0].Last, 500);
  EXPECT_EQ(P[0].Why, KeptRange::End::Below);
  auto N = sizesThatKeep(0.8, M, {1, 7, 1}, 1e9);
  ASSERT_EQ(N.size(), 1u);
  EXPECT_EQ(N[0].First, 196);
  EXPECT_EQ(N[0].Last, 1e9);
  EXPECT_EQ(N[0].Why, KeptRange::End::Searched);
  EXPECT_TRUE(processorsThatKeep(0.9999999, M, {4, 1, 1}, 100).empty());
}

/// A hump of overhead between 1000 and 2000, none from 5000 on, where the vector ends.
TEST(IsoEnergy, AnEfficiencyThatRisesAgainIsSeen) {
  IsoModel M = ofOverhead([](double N, double P) {
    return P > 1000 && P < 2000 ? N : P >= 5000 ? -2 * N : 0;
  });
  const auto P = processorsThatKeep(0.9, M, {100, 1, 1}, 1 << 14);
  ASSERT_EQ(P.size(), 2u);
  EXPECT_EQ(P[0].First, 1);
  EXPECT_EQ(P[0].Last, 1000);
  EXPECT_EQ(P[0].Why, KeptRange::End::Below);
  EXPECT_EQ(P[1].First, 2000);
  EXPECT_EQ(P[1].Last, 4999);
  EXPECT_EQ(P[1].Why, KeptRange::End::NoValue);
  // One processor that fails between two that do not.
  M = ofOverhead([](double N, double P) { return P == 77 ? N : 0; });
  const auto Gap = processorsThatKeep(0.9, M, {100, 1, 1}, 300);
  ASSERT_EQ(Gap.size(), 2u);
  EXPECT_EQ(Gap[0].Last, 76);
  EXPECT_EQ(Gap[1].First, 78);
  EXPECT_EQ(Gap[1].Last, 300);
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

struct CollectiveCase {
  const char *Name;
  double P, Starts, Shares;
};

/// Start-ups and bytes of one process, by the exchanges that the algorithms make.
TEST(CollectiveCost, ByHand) {
  const CollectiveCase Cases[] = {
      // 0 sends to 1, to 2 and to 3, and so does each.
      {"alltoall-pairwise", 4, 3, 3},
      // Two rounds; in each half of the four parts is passed on.
      {"alltoall-bruck", 4, 2, 4},
      // Parts of 1/4 go round in 3 steps; doubled, 1/4 and then 2/4.
      {"allgather-ring", 4, 3, 0.75},
      {"allgather-recursive-doubling", 4, 2, 0.75},
      // Three exchanges of all of it among eight; among five, four of them take two, and
      // one more before and after.
      {"allreduce-recursive-doubling", 8, 3, 3},
      {"allreduce-recursive-doubling", 5, 4, 4},
      // Halves 1/2, 1/4, 1/8 there and back; rings of 7 steps of 1/8 there and back.
      {"allreduce-rabenseifner", 8, 6, 1.75},
      {"reduce-rabenseifner", 8, 6, 1.75},
      {"allreduce-ring", 8, 14, 1.75},
      {"reduce-scatter-pairwise", 8, 7, 7.0 / 8},
      // 1, 2, 4, 8 processes have it after 3 rounds; a fifth needs the third round too.
      {"broadcast-binomial", 8, 3, 3},
      {"broadcast-binomial", 5, 3, 3},
      {"reduce-binomial", 5, 3, 3},
      // Halves down a tree, 1/2 + 1/4, and a ring of 3 steps of 1/4.
      {"broadcast-scatter-allgather", 4, 5, 1.5},
      {"scatter-binomial", 4, 2, 0.75},
      {"gather-binomial", 4, 2, 0.75},
      {"barrier-dissemination", 5, 3, 0},
  };
  std::set<std::string_view> Tried;
  for (const auto &[Name, P, Starts, Shares] : Cases) {
    const CollectiveAlgorithm *Found = findCollectiveCost(Name);
    ASSERT_TRUE(Found) << Name;
    EXPECT_DOUBLE_EQ(*Formula::parse(Found->Starts)->evaluate({{"p", P}}), Starts) << Name;
    EXPECT_DOUBLE_EQ(*Formula::parse(Found->Shares)->evaluate({{"p", P}}), Shares) << Name;
    Tried.insert(Name);
  }
  for (const CollectiveAlgorithm &Algorithm : collectiveCosts()) {
    EXPECT_TRUE(Tried.contains(Algorithm.Name)) << Algorithm.Name;
    EXPECT_EQ(Formula::parse(Algorithm.Starts)->evaluate({{"p", 1}}), 0) << Algorithm.Name;
    EXPECT_EQ(Formula::parse(Algorithm.Shares)->evaluate({{"p", 1}}), 0) << Algorithm.Name;
  }
  EXPECT_FALSE(findCollectiveCost("alltoall"));
}

/// The formulas against the exchanges that simulations send: a round takes as long as its
/// longest message.
TEST(CollectiveCost, AsTheExchangesOfSimulations) {
  const std::pair<const char *, Collective> Pairs[] = {
      {"alltoall-pairwise", Collective::AllToAll},
      {"allreduce-recursive-doubling", Collective::AllReduce},
      {"broadcast-binomial", Collective::Broadcast}};
  for (const auto &[Name, What] : Pairs)
    for (std::size_t P = 1; P <= 33; ++P) {
      std::vector<std::size_t> Ranks(P);
      std::iota(Ranks.begin(), Ranks.end(), 0);
      double Starts = 0, Bytes = 0;
      for (const ExchangeStep &Round : exchangesOf(What, Ranks, 100)) {
        double Longest = 0;
        for (const auto &Transfer : Round.Transfers)
          Longest = std::max(Longest, double(Transfer.Bytes));
        Starts += double(Round.Times);
        Bytes += double(Round.Times) * Longest;
      }
      const CollectiveAlgorithm *Found = findCollectiveCost(Name);
      const Formula::Values V{{"p", double(P)}};
      EXPECT_DOUBLE_EQ(*Formula::parse(Found->Starts)->evaluate(V), Starts) << Name << " " << P;
      EXPECT_DOUBLE_EQ(100 * *Formula::parse(Found->Shares)->evaluate(V), Bytes) << Name << P;
    }
}

/// Two all-to-alls of 10 bytes a pair among 4, in all: 4·3·2 start-ups, 4·3·(10 + 10) bytes.
TEST(CollectiveCost, AllProcessesTakePart) {
  Application A;
  const CollectiveAlgorithm *Pairwise = findCollectiveCost("alltoall-pairwise");
  A.Terms[ApplicationTerm::Messages] = {Formula(100), "s"};
  A.Collectives.push_back({Pairwise,
                           *Formula::parse(Pairwise->Starts),
                           *Formula::parse(Pairwise->Shares),
                           {Formula(2), "s"},
                           {Formula(20), "s"}});
  const auto W = A.at(1, 4, {});
  ASSERT_TRUE(W);
  EXPECT_DOUBLE_EQ(W->Messages, 124);
  EXPECT_DOUBLE_EQ(W->MessageBytes, 240);
}
