//===- FunctionAnalyses.h - LLVM's analyses of one function -----*- C++ -*-===//
//
// LLVM's analyses of a function that the passes use.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/ir/LLVM.h"

#include "llvm/IR/PassManager.h"

namespace ergon {

/// References into the analysis manager: valid until the function changes.
struct FunctionAnalyses {
  FunctionAnalyses(llvm::Function &F, llvm::FunctionAnalysisManager &AM);

  llvm::Function &F;
  llvm::LoopInfo &LI;
  llvm::TargetLibraryInfo &TLI;
  const llvm::TargetTransformInfo &TTI;
  llvm::DominatorTree &DT;
  llvm::AssumptionCache &AC;
  const llvm::DataLayout &Layout;

  /// Alias analyses are computed on the first query: most functions need none.
  llvm::AAResults &aliases() const;
  llvm::TypeBasedAAResult &typeBasedAliases() const;

  /// A separate scalar evolution. SCEV's answers depend on earlier queries, and the pipeline's
  /// answers must not depend on Ergon.
  llvm::ScalarEvolution makeScalarEvolution() const;

private:
  llvm::FunctionAnalysisManager &AM;
};

} // namespace ergon
