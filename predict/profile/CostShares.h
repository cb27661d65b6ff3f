//===- CostShares.h - the cost of a run, shared by its parts ----*- C++ -*-===//
//
// Each part of a call tree has its share of a prediction: of energy by the units of each class that
// it counts; of time by what it takes alone; of constant power by time. So the shares add up to the
// prediction, whatever of it overlaps (docs/top.md).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/prediction/ProfileFormat.h"
#include "predict/profile/CallTree.h"

#include <map>
#include <string>
#include <vector>

namespace ergon {

/// The cost of one OwnCost in the whole run; of code that several kernels call, in one of them.
struct SharedCost {
  std::size_t Node = 0;
  const OwnCost *Own = nullptr;
  std::string Kernel{};  ///< that it runs in; empty: the host's code
  std::size_t Piece = 0; ///< index in Parts of the prediction: 0 for the host
  bool IsCopy = false;   ///< the copies between host and device of it, or the rest
  Rational Visits;       ///< of the node in this piece
  ByClass<Rational> Counts{};
  PartCost Cost{};
  std::string Bound{};
  Known How = Known::Exact;
};

/// Shares \p Whole, the prediction of \p Scope of \p Tree, out over its parts. \p M is the machine
/// of the prediction; null: none.
std::vector<SharedCost> shareCost(const CallTree &Tree, const PredictionDocument &Whole,
                                  const Machine *M, RunScope Scope);

/// What a kernel, or what a library does on the device, is called as a part of a run.
const std::string &kernelName(const CallNode &Node);

/// The counts of the run as the tree has them, for a prediction that has none as a formula is too
/// large.
CountValues countsOf(const CallTree &Tree);

} // namespace ergon
