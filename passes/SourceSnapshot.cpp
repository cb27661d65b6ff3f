//===- SourceSnapshot.cpp - what the programmer wrote ---------------------===//

#include "passes/SourceSnapshot.h"
#include "passes/CostAnalysis.h"
#include "passes/Launches.h"
#include "passes/Remarks.h"

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

namespace ergon {

std::vector<Function> sourceSnapshot(const llvm::Module &M, bool WithRemarks) {
  std::unique_ptr<llvm::Module> Copy = llvm::CloneModule(M);

  llvm::LoopAnalysisManager LAM;
  llvm::FunctionAnalysisManager FAM;
  llvm::CGSCCAnalysisManager CGAM;
  llvm::ModuleAnalysisManager MAM;
  llvm::PassBuilder Builder;
  Builder.registerModuleAnalyses(MAM);
  Builder.registerCGSCCAnalyses(CGAM);
  Builder.registerFunctionAnalyses(FAM);
  Builder.registerLoopAnalyses(LAM);
  Builder.crossRegisterProxies(LAM, FAM, CGAM, MAM);

  // What stands in the toolkit's headers is no function of the programmer's.
  for (llvm::Function &F : *Copy)
    if (isLaunchHelper(F)) {
      F.removeFnAttr(llvm::Attribute::NoInline);
      F.removeFnAttr(llvm::Attribute::OptimizeNone);
      F.addFnAttr(llvm::Attribute::AlwaysInline);
    }
  // Clang inlines these at any -O; a device's thread indices hide in them.
  llvm::AlwaysInlinerPass().run(*Copy, MAM);
  // Variables into registers and loops into their normal form; no operation is
  // removed, merged or moved.
  llvm::FunctionPassManager Canonicalize;
  Canonicalize.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  Canonicalize.addPass(llvm::LoopSimplifyPass());

  std::vector<Function> Result;
  for (llvm::Function &F : *Copy) {
    if (F.isDeclaration() || F.hasAvailableExternallyLinkage())
      continue;
    F.removeFnAttr(llvm::Attribute::OptimizeNone);
    FAM.invalidate(F, Canonicalize.run(F, FAM));
    Result.push_back(analyzeCost(F, FAM, "source"));
    if (WithRemarks)
      emitRemarks(F, Result.back());
    FAM.clear(F, F.getName());
  }
  return Result;
}

} // namespace ergon
