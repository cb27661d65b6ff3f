//===- CostShares.h - the cost of a run, shared by its parts ----*- C++ -*-===//
//
// Each part of a run has its share of a prediction: of energy by the units of each class that it
// counts; of time by what it takes alone; of constant power by time. So the shares add up to the
// prediction, whatever of it overlaps (docs/top.md).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/prediction/ProfileFormat.h"
#include "model/evaluation/ProgramNumbers.h"

#include <map>
#include <string>
#include <vector>

namespace ergon {

/// The cost of a node's own code in one loop in the whole run; of code that several kernels call,
/// in one of them. What is estimated stands apart.
struct SharedCost {
  std::size_t Node = 0;
  const Loop *Region = nullptr;   ///< the function's body or a loop
  const LineCost *Line = nullptr; ///< the place, where lines are asked for and it is known
  std::string Kernel{};           ///< that it runs in; empty: the host's code
  std::size_t Piece = 0;          ///< index in Parts of the prediction: 0 for the host
  bool IsCopy = false;            ///< the copies between host and device of it, or the rest
  ByClass<Rational> Counts{};
  PartCost Cost{};
  std::string Bound{};
  Known How = Known::Exact;
};

/// Shares \p Whole, the prediction of \p Scope of \p Run, out over its parts, in the order of the
/// nodes. \p M is the machine of the prediction; null: none. With \p ByLine lines are parts.
std::vector<SharedCost> shareCost(const ProgramNumbers &Run, const PredictionDocument &Whole,
                                  const Machine *M, RunScope Scope, bool ByLine);

} // namespace ergon
