//===- GuardChains.h - how far back conditions are asked for ----*- C++ -*-===//
//
// What scalar evolution says of a loop rests on the conditions under which the loop is reached: it
// goes back over all branches that lead to nowhere else, and asks of each, which may go back
// itself. In a function of many loops one after the other that takes time that grows with the cube
// of their number. So a long chain of such branches is cut into pieces. What a piece does not show
// is not known there: a formula has a maximum more, and says the same.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_IR_GUARDCHAINS_H
#define ERGON_PASSES_IR_GUARDCHAINS_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class Instruction;
} // namespace llvm

namespace ergon {

/// Cuts the long chains of a function of a copy: there a branch leads to one block by two ways,
/// which does not count.
struct CutGuardChains : llvm::PassInfoMixin<CutGuardChains> {
  /// Changes branches of \p F, which must be a function of a copy.
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
};

/// True for a branch that has nothing to decide: on a constant, and to one block in any case.
bool decidesNothing(const llvm::Instruction &I);

} // namespace ergon

#endif
