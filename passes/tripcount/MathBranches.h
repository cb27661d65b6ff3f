//===- MathBranches.h - branches in math functions --------------*- C++ -*-===//
//
// CUDA's math functions are ordinary code once inlined: most test for infinities, NaNs and huge
// angles, and have slow paths for these, which typical runs do not take.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_TRIPCOUNT_MATHBRANCHES_H
#define ERGON_PASSES_TRIPCOUNT_MATHBRANCHES_H

namespace llvm {
class BasicBlock;
class BranchInst;
} // namespace llvm

namespace ergon {

/// The successor of \p Branch, in a CUDA math function, for ordinary arguments; null for other
/// branches, and where it is unknown. Recognises inlined functions with -g.
const llvm::BasicBlock *ordinaryWay(const llvm::BranchInst &Branch);

} // namespace ergon

#endif
