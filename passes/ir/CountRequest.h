//===- CountRequest.h - what a run counts of a function ---------*- C++ -*-===//
//
// What the counters of an instrumented function are for.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_IR_COUNTREQUEST_H
#define ERGON_PASSES_IR_COUNTREQUEST_H

#include "passes/ir/Probe.h"

#include "llvm/ADT/DenseSet.h"

#include <vector>

namespace llvm {
class Function;
} // namespace llvm

namespace ergon {

/// What a run of the program will count of a function.
struct CountRequest {
  /// Where the function calls itself: the functions by which it does, itself among them. No formula
  /// in one call's parameters holds for all their calls together, so each block has an unknown.
  const llvm::DenseSet<const llvm::Function *> *Cycle;
  std::vector<Probe> Probes = {}; ///< by unknown; the analysis finds them
  std::vector<PointerCall> Calls = {};
};

} // namespace ergon

#endif
