//===- CollectiveCost.cpp - what collective operations cost ---------------===//

#include "model/cluster/CollectiveCost.h"

#include <algorithm>
#include <array>

namespace ergon {

static constexpr std::string_view
    // R. Thakur, R. Rabenseifner, W. Gropp: Optimization of CollectiveCost Communication
    // Operations in MPICH, IJHPCA 19(1), 2005; R. Thakur and W. Gropp, EuroPVM/MPI 2003.
    Thakur = "Thakur et al. 2005",
    // J. Pješivac-Grbović et al.: Performance Analysis of MPI CollectiveCost Operations,
    // Cluster Computing 10, 2007: the costs under Hockney's model.
    Pjesivac = "Pješivac-Grbović et al. 2007",
    // P. Patarasuk, X. Yuan: Bandwidth Optimal All-reduce Algorithms for Clusters of
    // Workstations, JPDC 69(2), 2009.
    Patarasuk = "Patarasuk and Yuan 2009";

static constexpr std::string_view Whole = "the message", Vector = "the vector",
                                  Pair = "what a process sends to one other",
                                  Parts = "all processes' parts together", Log = "ceil(log2(p))";

/// One more exchange before and one after where p is no power of two (Thakur et al.
/// 2005, sections 4.1 and 4.5).
static constexpr std::string_view Doubling = "floor(log2(p)) + 2*min(1, p - 2^floor(log2(p)))";

static constexpr std::array<CollectiveCost, 15> Table = {{
    {"allgather-recursive-doubling", Parts, Log, "(p - 1)/p", Thakur},
    {"allgather-ring", Parts, "p - 1", "(p - 1)/p", Thakur},
    {"allreduce-rabenseifner", Vector, "2*ceil(log2(p))", "2*(p - 1)/p", Thakur},
    {"allreduce-recursive-doubling", Vector, Doubling, Doubling, Thakur},
    {"allreduce-ring", Vector, "2*(p - 1)", "2*(p - 1)/p", Patarasuk},
    {"alltoall-bruck", Pair, Log, "p/2*ceil(log2(p))", Thakur},
    {"alltoall-pairwise", Pair, "p - 1", "p - 1", Pjesivac},
    {"barrier-dissemination", Whole, Log, "0", Pjesivac},
    {"broadcast-binomial", Whole, Log, Log, Thakur},
    {"broadcast-scatter-allgather", Whole, "ceil(log2(p)) + p - 1", "2*(p - 1)/p", Thakur},
    {"gather-binomial", Parts, Log, "(p - 1)/p", Thakur},
    {"reduce-binomial", Vector, Log, Log, Thakur},
    {"reduce-rabenseifner", Vector, "2*ceil(log2(p))", "2*(p - 1)/p", Thakur},
    {"reduce-scatter-pairwise", Vector, "p - 1", "(p - 1)/p", Thakur},
    {"scatter-binomial", Parts, Log, "(p - 1)/p", Thakur},
}};
static_assert(std::ranges::is_sorted(Table, {}, &CollectiveCost::Name));

std::span<const CollectiveCost> collectiveCosts() { return Table; }

const CollectiveCost *findCollectiveCost(std::string_view Name) {
  const auto *Found = std::ranges::lower_bound(Table, Name, {}, &CollectiveCost::Name);
  return Found != Table.end() && Found->Name == Name ? &*Found : nullptr;
}

} // namespace ergon
