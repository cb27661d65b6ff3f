//===- OverlapChecks.h - run-time checks before vector loops ----*- C++ -*-===//
//
// Where it cannot tell whether objects overlap, the loop vectorizer keeps the scalar loop beside
// the vector loop, and compares addresses before them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Instructions.h"
#include "passes/ir/LLVM.h"

#include <optional>

namespace ergon {

/// The comparison of addresses that must hold for \p Code, a vector loop's preheader or what is
/// left of it, to run; nothing where there is none.
std::optional<OverlapCheck> overlapCheckOf(const BasicBlock &Code, const llvm::DominatorTree &DT,
                                           const llvm::LoopInfo &LI);

} // namespace ergon
