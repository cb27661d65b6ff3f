//===- MathBranches.h - branches in math functions --------------*- C++ -*-===//
//
// CUDA's math functions are ordinary code once inlined: most test for infinities, NaNs and huge
// angles, and have slow paths for these, which typical runs do not take.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/ir/LLVM.h"

namespace ergon {

/// The successor of \p Branch, in a CUDA math function, for ordinary arguments; null for other
/// branches, and where it is unknown. Recognises inlined functions with -g.
const BasicBlock *ordinaryWay(const llvm::BranchInst &Branch);

} // namespace ergon
