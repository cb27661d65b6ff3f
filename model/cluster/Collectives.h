//===- Collectives.h - collective operations of MPI -------------*- C++ -*-===//
//
// A table of algorithms of collective operations, with two views of each: its cost in closed form,
// and the messages that it sends, in order.
// The cost is Hockney's model: a message of H bytes takes t_msg + H·t_byte (R. Hockney: The
// communication challenge for MPP, Parallel Computing 20(3), 1994; α and β in the literature). One
// call of a collective over p processes takes each of them Starts·t_msg + Shares·H·t_byte, without
// the arithmetic of reductions.
// The messages are those of Thakur, Rabenseifner and Gropp, "Optimization of collective
// communication operations in MPICH" (2005).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/cluster/Plan.h"

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>
#include <vector>

namespace ergon {

/// The algorithms whose messages are known.
enum class Collective {
  AllReduce, ///< of a vector, by recursive doubling
  AllToAll,  ///< bytes to each other rank, by pairs
  Barrier,   ///< by dissemination: empty messages
  Broadcast, ///< by a binomial tree
  Ring,      ///< bytes to the next rank: t_s + m·t_w
};

/// A collective operation by one algorithm.
struct CollectiveAlgorithm {
  std::string_view Name;   ///< `allreduce-ring`
  std::string_view Bytes;  ///< what H measures
  std::string_view Starts; ///< sequential start-ups: a formula in p; may be empty
  std::string_view Shares; ///< messages of H bytes, in sequence: a formula in p
  std::string_view Source;
  std::optional<Collective> Messages{}; ///< which, where they are known

  /// False where no cost is published for this algorithm.
  constexpr bool hasCost() const { return !Starts.empty(); }
};

namespace collective {
inline constexpr std::string_view
    // R. Thakur, R. Rabenseifner, W. Gropp: Optimization of Collective Communication
    // Operations in MPICH, IJHPCA 19(1), 2005; R. Thakur and W. Gropp, EuroPVM/MPI 2003.
    Thakur = "Thakur et al. 2005",
    // J. Pješivac-Grbović et al.: Performance Analysis of MPI Collective Operations,
    // Cluster Computing 10, 2007: the costs under Hockney's model.
    Pjesivac = "Pješivac-Grbović et al. 2007",
    // P. Patarasuk, X. Yuan: Bandwidth Optimal All-reduce Algorithms for Clusters of
    // Workstations, JPDC 69(2), 2009.
    Patarasuk = "Patarasuk and Yuan 2009";

inline constexpr std::string_view Whole = "the message", Vector = "the vector",
                                  Pair = "what a process sends to one other",
                                  Parts = "all processes' parts together", Log = "ceil(log2(p))";

/// One more exchange before and one after where p is no power of two (Thakur et al.
/// 2005, sections 4.1 and 4.5).
inline constexpr std::string_view Doubling = "floor(log2(p)) + 2*min(1, p - 2^floor(log2(p)))";
} // namespace collective

/// All, sorted by name. Logarithms are rounded up. That is exact for trees and for dissemination;
/// Rabenseifner's algorithms and the recursive doubling of an allgather take some more steps where
/// p is no power of two.
inline constexpr std::array<CollectiveAlgorithm, 16> CollectiveTable = {{
    {"allgather-recursive-doubling", collective::Parts, collective::Log, "(p - 1)/p",
     collective::Thakur},
    {"allgather-ring", collective::Parts, "p - 1", "(p - 1)/p", collective::Thakur},
    {"allreduce-rabenseifner", collective::Vector, "2*ceil(log2(p))", "2*(p - 1)/p",
     collective::Thakur},
    {"allreduce-recursive-doubling", collective::Vector, collective::Doubling, collective::Doubling,
     collective::Thakur, Collective::AllReduce},
    {"allreduce-ring", collective::Vector, "2*(p - 1)", "2*(p - 1)/p", collective::Patarasuk},
    {"alltoall-bruck", collective::Pair, collective::Log, "p/2*ceil(log2(p))", collective::Thakur},
    {"alltoall-pairwise", collective::Pair, "p - 1", "p - 1", collective::Pjesivac,
     Collective::AllToAll},
    {"barrier-dissemination", collective::Whole, collective::Log, "0", collective::Pjesivac,
     Collective::Barrier},
    {"broadcast-binomial", collective::Whole, collective::Log, collective::Log, collective::Thakur,
     Collective::Broadcast},
    {"broadcast-scatter-allgather", collective::Whole, "ceil(log2(p)) + p - 1", "2*(p - 1)/p",
     collective::Thakur},
    {"gather-binomial", collective::Parts, collective::Log, "(p - 1)/p", collective::Thakur},
    {"reduce-binomial", collective::Vector, collective::Log, collective::Log, collective::Thakur},
    {"reduce-rabenseifner", collective::Vector, "2*ceil(log2(p))", "2*(p - 1)/p",
     collective::Thakur},
    {"reduce-scatter-pairwise", collective::Vector, "p - 1", "(p - 1)/p", collective::Thakur},
    {"ring", "what a process sends to the next one", "", "", "", Collective::Ring},
    {"scatter-binomial", collective::Parts, collective::Log, "(p - 1)/p", collective::Thakur},
}};
static_assert(std::ranges::is_sorted(CollectiveTable, {}, &CollectiveAlgorithm::Name));

/// The algorithms that have a cost, sorted by name.
inline auto collectiveCosts() {
  return CollectiveTable | std::views::filter(&CollectiveAlgorithm::hasCost);
}
/// The one of that name with a cost, or null.
const CollectiveAlgorithm *findCollectiveCost(std::string_view Name);

/// Names of the algorithms whose messages are known, in the order of Collective.
inline constexpr auto CollectiveNames = [] {
  std::array<std::string_view, 5> Result;
  for (const CollectiveAlgorithm &Algorithm : CollectiveTable)
    if (Algorithm.Messages)
      Result[std::size_t(*Algorithm.Messages)] = Algorithm.Name;
  return Result;
}();
static_assert(std::ranges::count(CollectiveNames, std::string_view()) == 0);

/// The exchanges of a collective of \p Bytes over \p Ranks, in order; \p Root is the index in \p
/// Ranks of a broadcast's source. None for a single rank.
std::vector<ExchangeStep> exchangesOf(Collective What, std::span<const std::size_t> Ranks,
                                      std::uint64_t Bytes, std::size_t Root = 0);

} // namespace ergon
