//===- Collectives.h - which messages a collective sends --------*- C++ -*-===//
//
// Collective operations of MPI as exchanges of messages, by the algorithms of
// Thakur, Rabenseifner and Gropp, "Optimization of collective communication
// operations in MPICH" (2005).
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_CLUSTER_COLLECTIVES_H
#define ERGON_MODEL_CLUSTER_COLLECTIVES_H

#include "model/cluster/Plan.h"

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace ergon {

enum class Collective {
  AllReduce, ///< of a vector, by recursive doubling
  AllToAll,  ///< bytes to each other rank, by pairs
  Barrier,   ///< by dissemination: empty messages
  Broadcast, ///< by a binomial tree
  Ring,      ///< bytes to the next rank: t_s + m·t_w
};
/// Those of CollectiveCost.h, which has their costs, and the ring.
inline constexpr std::array<std::string_view, 5> CollectiveNames = {
    "allreduce-recursive-doubling", "alltoall-pairwise", "barrier-dissemination",
    "broadcast-binomial", "ring"};

/// The exchanges of a collective of \p Bytes over \p Ranks, in order; \p Root is the place in
/// \p Ranks that a broadcast starts from. None for a single rank.
std::vector<ExchangeStep> exchangesOf(Collective What, std::span<const std::size_t> Ranks,
                                      std::uint64_t Bytes, std::size_t Root = 0);

} // namespace ergon

#endif
