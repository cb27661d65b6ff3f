//===- MathBranches.h - branches inside of math functions -------*- C++ -*-===//
//
// CUDA's math functions are code like any other once they are inlined: most test
// for infinities, for values that are no number, and for huge angles, and go a long
// way round for them. No run of a program is about these.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_TRIPCOUNT_MATHBRANCHES_H
#define ERGON_PASSES_TRIPCOUNT_MATHBRANCHES_H

namespace llvm {
class BasicBlock;
class BranchInst;
} // namespace llvm

namespace ergon {

/// Where \p Branch, of CUDA's math functions, goes on to for ordinary arguments; null
/// for other branches, and where that cannot be told. With -g inlined ones are known.
const llvm::BasicBlock *ordinaryWay(const llvm::BranchInst &Branch);

} // namespace ergon

#endif
