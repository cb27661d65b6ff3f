//===- Remarks.h - -Rpass-analysis=ergon ------------------------*- C++ -*-===//
//
// One remark for each function and each loop with its work W and traffic Q.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Function.h"
#include "passes/ir/LLVM.h"

namespace ergon {

/// True where the user asked for the remarks.
bool wantsRemarks(const llvm::Function &F);
/// Emits them for \p Summary, the counts of \p F.
void emitRemarks(const llvm::Function &F, const Function &Summary);

} // namespace ergon
