//===- Collectives.cpp - collective operations of MPI ---------------------===//

#include "model/cluster/Collectives.h"

#include <algorithm>
#include <bit>

namespace ergon {

/// Each rank sends to the one at that distance.
static ExchangeStep shift(std::span<const std::size_t> Ranks, std::size_t Distance,
                          std::uint64_t Bytes) {
  ExchangeStep Step;
  for (std::size_t From = 0; From < Ranks.size(); ++From)
    Step.Transfers.push_back({Ranks[From], Ranks[(From + Distance) % Ranks.size()], Bytes});
  return Step;
}

static std::vector<ExchangeStep> allToAll(std::span<const std::size_t> Ranks, std::uint64_t Bytes) {
  std::vector<ExchangeStep> Steps;
  for (std::size_t Distance = 1; Distance < Ranks.size(); ++Distance)
    Steps.push_back(shift(Ranks, Distance, Bytes));
  return Steps;
}

static std::vector<ExchangeStep> barrier(std::span<const std::size_t> Ranks) {
  std::vector<ExchangeStep> Steps;
  for (std::size_t Distance = 1; Distance < Ranks.size(); Distance *= 2)
    Steps.push_back(shift(Ranks, Distance, 0));
  return Steps;
}

/// The first 2·(p - 2^k) ranks pass their values to every other one of them first, and get the
/// result at the end; 2^k ranks take part in between.
static std::vector<ExchangeStep> allReduce(std::span<const std::size_t> Ranks,
                                           std::uint64_t Bytes) {
  const std::size_t Power = std::bit_floor(Ranks.size());
  const std::size_t Extra = Ranks.size() - Power;
  std::vector<std::size_t> Among;
  ExchangeStep Before, After;
  for (std::size_t N = 0; N < Extra; ++N) {
    Before.Transfers.push_back({Ranks[2 * N], Ranks[2 * N + 1], Bytes});
    After.Transfers.push_back({Ranks[2 * N + 1], Ranks[2 * N], Bytes});
    Among.push_back(Ranks[2 * N + 1]);
  }
  for (std::size_t N = 2 * Extra; N < Ranks.size(); ++N)
    Among.push_back(Ranks[N]);
  std::vector<ExchangeStep> Steps;
  if (Extra)
    Steps.push_back(std::move(Before));
  for (std::size_t Distance = 1; Distance < Power; Distance *= 2) {
    ExchangeStep &Step = Steps.emplace_back();
    for (std::size_t N = 0; N < Power; ++N)
      Step.Transfers.push_back({Among[N], Among[N ^ Distance], Bytes});
  }
  if (Extra)
    Steps.push_back(std::move(After));
  return Steps;
}

static std::vector<ExchangeStep> broadcast(std::span<const std::size_t> Ranks, std::uint64_t Bytes,
                                           std::size_t Root) {
  std::vector<ExchangeStep> Steps;
  for (std::size_t Have = 1; Have < Ranks.size(); Have *= 2) {
    ExchangeStep &Step = Steps.emplace_back();
    for (std::size_t N = 0; N < Have && N + Have < Ranks.size(); ++N)
      Step.Transfers.push_back(
          {Ranks[(Root + N) % Ranks.size()], Ranks[(Root + N + Have) % Ranks.size()], Bytes});
  }
  return Steps;
}

std::vector<ExchangeStep> exchangesOf(Collective What, std::span<const std::size_t> Ranks,
                                      std::uint64_t Bytes, std::size_t Root) {
  if (Ranks.size() < 2)
    return {};
  switch (What) {
  case Collective::AllReduce:
    return allReduce(Ranks, Bytes);
  case Collective::AllToAll:
    return allToAll(Ranks, Bytes);
  case Collective::Barrier:
    return barrier(Ranks);
  case Collective::Broadcast:
    return broadcast(Ranks, Bytes, Root);
  case Collective::Ring:
    return {shift(Ranks, 1, Bytes)};
  }
  return {};
}

const CollectiveAlgorithm *findCollectiveCost(std::string_view Name) {
  const auto *Found =
      std::ranges::lower_bound(CollectiveTable, Name, {}, &CollectiveAlgorithm::Name);
  return Found != CollectiveTable.end() && Found->Name == Name && Found->hasCost() ? &*Found
                                                                                   : nullptr;
}

} // namespace ergon
