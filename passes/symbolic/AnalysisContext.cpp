//===- AnalysisContext.cpp - shared state of a function's analyses --------===//

#include "passes/symbolic/AnalysisContext.h"
#include "passes/ir/AddressSpaces.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/IR/Function.h"

namespace ergon {

AnalysisContext::AnalysisContext(llvm::Function &F, llvm::FunctionAnalysisManager &AM,
                                 StringRef Snapshot)
    : FunctionAnalyses(F, AM), Snapshot(Snapshot), IsDevice(isDevice(*F.getParent())),
      SE(makeScalarEvolution()), Names(F), Memory(*this, /*AsWritten=*/Snapshot == "source"),
      Translate(SE, LI, DT, Memory, Names) {}

} // namespace ergon
