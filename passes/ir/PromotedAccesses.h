//===- PromotedAccesses.h - accesses that SROA takes away -------*- C++ -*-===//
//
// Unoptimized code keeps each variable in memory: every use is a load. Analysis
// needs variables in registers, the count needs the accesses. So a mark, a call
// of a function that does nothing, stands beside each of them while SROA runs,
// and counts instead of it. Only on a copy of the module.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_IR_PROMOTEDACCESSES_H
#define ERGON_PASSES_IR_PROMOTEDACCESSES_H

#include "llvm/IR/PassManager.h"

#include <optional>

namespace llvm {
class CallBase;
}

namespace ergon {

/// Puts a mark before each load and store of a local variable.
struct MarkLocalAccesses : llvm::PassInfoMixin<MarkLocalAccesses> {
  /// Adds calls of the mark to \p F, before SROA.
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

/// Takes the marks of those accesses away that are still there.
struct DropUnusedMarks : llvm::PassInfoMixin<DropUnusedMarks> {
  /// Removes the calls of marks whose access SROA has left, after SROA.
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

/// Bytes that the access asked for whose mark a call is, and where its variable lies in the
/// function's frame.
struct PromotedAccess {
  long BytesRead = 0, BytesWritten = 0;
  long FrameOffset = 0;
};
/// The access that \p Site marks, or nothing.
std::optional<PromotedAccess> promotedAccess(const llvm::CallBase &Site);

} // namespace ergon

#endif
