//===- CountRequest.h - what a run counts of a function ---------*- C++ -*-===//
//
// The purpose of the counters of an instrumented function.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_IR_COUNTREQUEST_H
#define ERGON_PASSES_IR_COUNTREQUEST_H

#include "passes/ir/Probe.h"

#include "llvm/ADT/DenseSet.h"

#include <vector>

namespace ergon {

/// What a run of the program will count of a function.
struct CountRequest {
  /// For a recursive function: the functions of its call cycle, including itself. No formula in one
  /// call's parameters holds for all calls together, so each block has an unknown.
  const llvm::DenseSet<const llvm::Function *> *Cycle;
  std::vector<Probe> Probes = {}; ///< by unknown; set by the analysis
  std::vector<PointerCall> Calls = {};
};

} // namespace ergon

#endif
