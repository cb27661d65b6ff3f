//===- Remarks.h - -Rpass-analysis=ergon ------------------------*- C++ -*-===//
//
// One remark for each function and each loop with its work W and traffic Q.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_ANALYSIS_REMARKS_H
#define ERGON_PASSES_ANALYSIS_REMARKS_H

#include "model/program/Function.h"
#include "passes/ir/LLVM.h"

namespace ergon {

/// True where the user asked for the remarks.
bool wantsRemarks(const llvm::Function &F);
/// Emits them for \p Summary, the counts of \p F.
void emitRemarks(const llvm::Function &F, const Function &Summary);

} // namespace ergon

#endif
