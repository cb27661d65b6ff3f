//===- CountAnalysis.h - analyses a function's counts -----------*- C++ -*-===//
//
// The main analysis: a function's loops, trip counts, counts by cost class, accesses, calls and
// unknowns as a model function. It only reads the IR, and has its own scalar evolution, since
// SCEV's answers depend on earlier queries and the pipeline's must not depend on Ergon.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Function.h"
#include "passes/ir/Probe.h"

#include "llvm/IR/PassManager.h"

namespace ergon {

class CalleeValues;
class DeviceBlocks;

/// The counts of \p F in its current IR. \p Snapshot names the state of the IR. \p Counted, if not
/// null, receives what a run is to count. \p Callees, if not null, tells what calls leave in
/// memory. \p Numbered, if not null, receives the blocks, which then have numbers.
Function analyzeCounts(llvm::Function &F, llvm::FunctionAnalysisManager &AM, StringRef Snapshot,
                       CalleeValues *Callees, CountRequest *Counted = nullptr,
                       DeviceBlocks *Numbered = nullptr);

/// The function's counts as an LLVM analysis, for the printer below and for tests.
class CountAnalysis : public llvm::AnalysisInfoMixin<CountAnalysis> {
public:
  using Result = Function;
  /// The counts of \p F in the snapshot `algorithm`. \p F is unchanged.
  Result run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);

private:
  friend llvm::AnalysisInfoMixin<CountAnalysis>;
  static llvm::AnalysisKey Key;
};

/// `print<ergon-counts>`: the analysis' result as text.
void printCounts(llvm::Function &F, llvm::FunctionAnalysisManager &AM, raw_ostream &Out);

} // namespace ergon
