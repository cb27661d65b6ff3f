//===- GuardChains.h - limits chains of loop guards -------------*- C++ -*-===//
//
// Scalar evolution uses the conditions under which a loop is reached: it walks back over all
// guarding branches, and each query may walk back itself. In a function with many loops in sequence
// this takes cubic time. So long chains of such branches are cut into pieces. Conditions outside a
// piece are unknown there: a formula then has an additional maximum with the same value.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/ir/LLVM.h"

#include "llvm/IR/PassManager.h"

namespace ergon {

/// Cuts the long chains of a copied function: the branch leads to one block on both sides, which
/// does not count.
struct CutGuardChains : llvm::PassInfoMixin<CutGuardChains> {
  /// Changes branches of \p F, which must be a function of a copy.
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
};

/// True for a branch without a decision: on a constant, and to one block.
bool decidesNothing(const Instruction &I);

} // namespace ergon
