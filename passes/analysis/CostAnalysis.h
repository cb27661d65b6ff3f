//===- CostAnalysis.h - what a function costs -------------------*- C++ -*-===//
//
// The analysis behind everything: a function's loops, trip counts, counts by
// cost class, accesses, calls and unknowns as a model function. It reads the IR
// and changes nothing, and it keeps a scalar evolution of its own, since what
// SCEV answers depends on what it was asked before, and the pipeline's answers
// must be the same with and without Ergon.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_ANALYSIS_COSTANALYSIS_H
#define ERGON_PASSES_ANALYSIS_COSTANALYSIS_H

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
Function analyzeCost(llvm::Function &F, llvm::FunctionAnalysisManager &AM, llvm::StringRef Snapshot,
                     ToCount *Counted = nullptr);

/// The function's cost as an LLVM analysis, for the printer below and for tests.
class CostAnalysis : public llvm::AnalysisInfoMixin<CostAnalysis> {
public:
  using Result = Function;
  /// What \p F costs in the snapshot `algorithm`. \p F stays as it is.
  Result run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);

private:
  friend llvm::AnalysisInfoMixin<CostAnalysis>;
  static llvm::AnalysisKey Key;
};

/// `print<ergon-cost>`: the analysis' result as text.
class CostPrinterPass : public llvm::PassInfoMixin<CostPrinterPass> {
public:
  /// Prints to \p Out.
  explicit CostPrinterPass(llvm::raw_ostream &Out) : Out(Out) {}
  /// Prints the cost of \p F as text; preserves all analyses.
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
  /// Functions with `optnone` are printed too.
  static bool isRequired() { return true; }

private:
  llvm::raw_ostream &Out;
};

} // namespace ergon

#endif
