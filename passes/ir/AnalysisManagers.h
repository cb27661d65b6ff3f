//===- AnalysisManagers.h - analyses apart from the pipeline's --*- C++ -*-===//
#pragma once

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"

namespace ergon {

/// Analysis managers of their own: for code that the pipeline's do not know, and for questions that
/// its answers must not depend on. \p Target, which must outlive them, knows which addresses fold
/// into accesses.
struct AnalysisManagers {
  llvm::LoopAnalysisManager LAM;
  llvm::FunctionAnalysisManager FAM;
  llvm::CGSCCAnalysisManager CGAM;
  llvm::ModuleAnalysisManager MAM;

  explicit AnalysisManagers(llvm::TargetMachine *Target = nullptr) {
    llvm::PassBuilder Builder(Target);
    Builder.registerModuleAnalyses(MAM);
    Builder.registerCGSCCAnalyses(CGAM);
    Builder.registerFunctionAnalyses(FAM);
    Builder.registerLoopAnalyses(LAM);
    Builder.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  }
  AnalysisManagers(const AnalysisManagers &) = delete;
};

} // namespace ergon
