//===- CollectiveCost.h - what collective operations cost -------*- C++ -*-===//
//
// Hockney's model: a message of H bytes takes t_msg + H·t_byte (R. Hockney: The
// communication challenge for MPP, Parallel Computing 20(3), 1994; α and β in the
// literature). One call of a collective over p processes then takes each of them
// Starts·t_msg + Shares·H·t_byte. The arithmetic of reductions is no part of it.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_CLUSTER_COLLECTIVECOST_H
#define ERGON_MODEL_CLUSTER_COLLECTIVECOST_H

#include <span>
#include <string_view>

namespace ergon {

/// A collective operation by one algorithm.
struct CollectiveCost {
  std::string_view Name;   ///< `allreduce-ring`
  std::string_view Bytes;  ///< what H is the size of
  std::string_view Starts; ///< start-ups, one after the other: a formula in p
  std::string_view Shares; ///< H-s that are sent, one after the other: a formula in p
  std::string_view Source;
};

/// All of them, sorted by name. Logarithms are rounded up. That is exact for trees
/// and for dissemination; Rabenseifner's algorithms and the recursive doubling of an
/// allgather take some steps more where p is no power of two.
std::span<const CollectiveCost> collectiveCosts();
/// The one of that name, or null.
const CollectiveCost *findCollectiveCost(std::string_view Name);

} // namespace ergon

#endif
