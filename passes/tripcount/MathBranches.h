//===- MathBranches.h - branches on floating-point numbers ------*- C++ -*-===//
//
// Data are seldom equal to a given number, as a test for zero asks, nor near to what the type can
// hold at all.
// CUDA's math functions are ordinary code once inlined: most test for infinities, NaNs and huge
// angles, and have slow paths for these, which typical runs do not take.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/ir/LLVM.h"

#include <optional>

namespace ergon {

/// The successor of \p Branch, in a CUDA math function, for ordinary arguments; null for other
/// branches, and where it is unknown. Recognises inlined functions with -g.
const BasicBlock *ordinaryWay(const llvm::BranchInst &Branch);

/// The value of \p Condition for floating-point numbers that are ordinary: equal to no given one,
/// of ordinary size, no infinity and no NaN. Nothing where that does not tell. \p HaveSign: and
/// positive, as pivots are where a loop is left for one that is not. \p Depth: of calls.
std::optional<bool> ordinarily(const llvm::Value *Condition, bool HaveSign = false,
                               unsigned Depth = 0);

} // namespace ergon
