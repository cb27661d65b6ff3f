//===- FunctionAnalyses.cpp - LLVM's analyses of one function -------------===//

#include "passes/ir/FunctionAnalyses.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"

namespace ergon {

FunctionAnalyses::FunctionAnalyses(llvm::Function &F, llvm::FunctionAnalysisManager &AM)
    : F(F), LI(AM.getResult<llvm::LoopAnalysis>(F)),
      TLI(AM.getResult<llvm::TargetLibraryAnalysis>(F)),
      TTI(AM.getResult<llvm::TargetIRAnalysis>(F)),
      DT(AM.getResult<llvm::DominatorTreeAnalysis>(F)),
      AC(AM.getResult<llvm::AssumptionAnalysis>(F)), Layout(F.getDataLayout()), AM(AM) {}

llvm::AAResults &FunctionAnalyses::aliases() const { return AM.getResult<llvm::AAManager>(F); }

llvm::TypeBasedAAResult &FunctionAnalyses::typeBasedAliases() const {
  return AM.getResult<llvm::TypeBasedAA>(F);
}

llvm::ScalarEvolution FunctionAnalyses::makeScalarEvolution() const {
  return llvm::ScalarEvolution(F, TLI, AC, DT, LI);
}

} // namespace ergon
