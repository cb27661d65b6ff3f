//===- CountAnalysis.h - what a function counts -----------------*- C++ -*-===//
//
// The analysis behind everything: a function's loops, trip counts, counts by
// cost class, accesses, calls and unknowns as a model function. It reads the IR
// and changes nothing, and it keeps a scalar evolution of its own, since what
// SCEV answers depends on what it was asked before, and the pipeline's answers
// must be the same with and without Ergon.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_ANALYSIS_COUNTANALYSIS_H
#define ERGON_PASSES_ANALYSIS_COUNTANALYSIS_H

#include "model/program/Function.h"
#include "passes/ir/CountRequest.h"

#include "llvm/IR/PassManager.h"

namespace ergon {

/// The counts of \p F as its IR stands. \p Snapshot names the state of the IR.
/// \p Counted, where not null, gets what a run is to count.
Function analyzeCounts(llvm::Function &F, llvm::FunctionAnalysisManager &AM,
                       llvm::StringRef Snapshot, CountRequest *Counted = nullptr);

/// The function's counts as an LLVM analysis, for the printer below and for tests.
class CountAnalysis : public llvm::AnalysisInfoMixin<CountAnalysis> {
public:
  using Result = Function;
  /// What \p F counts in the snapshot `algorithm`. \p F stays as it is.
  Result run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);

private:
  friend llvm::AnalysisInfoMixin<CountAnalysis>;
  static llvm::AnalysisKey Key;
};

/// `print<ergon-counts>`: the analysis' result as text.
class CountPrinterPass : public llvm::PassInfoMixin<CountPrinterPass> {
public:
  /// Prints to \p Out.
  explicit CountPrinterPass(llvm::raw_ostream &Out) : Out(Out) {}
  /// Prints the counts of \p F; preserves all analyses.
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
  /// Functions with `optnone` are printed too.
  static bool isRequired() { return true; }

private:
  llvm::raw_ostream &Out;
};

} // namespace ergon

#endif
