//===- PromotedAccesses.h - accesses removed by SROA ------------*- C++ -*-===//
//
// Unoptimized code keeps each variable in memory: every use is a load. The analysis needs variables
// in registers, the counts need the accesses. So a mark, a call of an empty function, is put beside
// each of them during SROA and is counted instead. They must not stay in code that runs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/ir/LLVM.h"

#include "llvm/IR/PassManager.h"

#include <optional>

namespace ergon {

/// Puts a mark before each load and store of a local variable.
struct MarkLocalAccesses : llvm::PassInfoMixin<MarkLocalAccesses> {
  /// Adds calls of the mark to \p F, before SROA.
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

/// Removes the marks of accesses that still exist.
struct DropUnusedMarks : llvm::PassInfoMixin<DropUnusedMarks> {
  /// Removes the calls of marks whose access SROA has left, after SROA.
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

/// Removes all marks from \p M.
void dropMarks(llvm::Module &M);

/// The bytes of a marked access, and its variable's offset in the function's frame.
struct PromotedAccess {
  long BytesRead = 0, BytesWritten = 0;
  long FrameOffset = 0;
};
/// The access that \p Site marks, or nothing.
std::optional<PromotedAccess> promotedAccess(const CallBase &Site);

} // namespace ergon
