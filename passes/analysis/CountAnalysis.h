//===- CountAnalysis.h - what a function costs -------------------*- C++ -*-===//
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
#include "passes/ir/Probe.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/PassManager.h"

namespace ergon {

/// What a run will count of a function.
struct ToCount {
  /// Where the function calls itself: the functions by which it does, itself among them. No formula
  /// in one call's parameters holds for all their calls together, so each block has an unknown.
  const llvm::DenseSet<const llvm::Function *> *Cycle;
  std::vector<Probe> Probes = {}; ///< by unknown; the analysis finds them
  std::vector<PointerCall> Calls = {};
};

/// The cost of \p F as its IR stands. \p Snapshot names the state of the IR.
Function analyzeCounts(llvm::Function &F, llvm::FunctionAnalysisManager &AM,
                       llvm::StringRef Snapshot, ToCount *Counted = nullptr);

/// The function's cost as an LLVM analysis, for the printer below and for tests.
class CountAnalysis : public llvm::AnalysisInfoMixin<CountAnalysis> {
public:
  using Result = Function;
  Result run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);

private:
  friend llvm::AnalysisInfoMixin<CountAnalysis>;
  static llvm::AnalysisKey Key;
};

/// `print<ergon-counts>`: the analysis' result as text.
class CountPrinterPass : public llvm::PassInfoMixin<CountPrinterPass> {
public:
  explicit CountPrinterPass(llvm::raw_ostream &Out) : Out(Out) {}
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
  static bool isRequired() { return true; }

private:
  llvm::raw_ostream &Out;
};

} // namespace ergon

#endif
