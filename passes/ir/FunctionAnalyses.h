//===- FunctionAnalyses.h - LLVM's analyses of one function -----*- C++ -*-===//
//
// Asks a function's analysis manager for what the passes use of LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_IR_FUNCTIONANALYSES_H
#define ERGON_PASSES_IR_FUNCTIONANALYSES_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class AAResults;
class AssumptionCache;
class DataLayout;
class DominatorTree;
class LoopInfo;
class ScalarEvolution;
class TargetLibraryInfo;
class TargetTransformInfo;
class TypeBasedAAResult;
} // namespace llvm

namespace ergon {

/// References into the analysis manager: they hold until the function changes.
struct FunctionAnalyses {
  FunctionAnalyses(llvm::Function &F, llvm::FunctionAnalysisManager &AM);

  llvm::Function &F;
  llvm::LoopInfo &LI;
  llvm::TargetLibraryInfo &TLI;
  const llvm::TargetTransformInfo &TTI;
  llvm::DominatorTree &DT;
  llvm::AssumptionCache &AC;
  const llvm::DataLayout &Layout;

  /// Alias analyses are computed when they are first asked for: most functions need none.
  llvm::AAResults &aliases() const;
  llvm::TypeBasedAAResult &typeBasedAliases() const;

  /// A scalar evolution of the caller's own. What SCEV answers depends on what it was asked before,
  /// and the pipeline's answers must be the same with and without Ergon.
  llvm::ScalarEvolution makeScalarEvolution() const;

private:
  llvm::FunctionAnalysisManager &AM;
};

} // namespace ergon

#endif
