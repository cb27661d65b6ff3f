//===- VectorShuffles.h - costs of shuffles ---------------------*- C++ -*-===//
#pragma once

#include "passes/ir/FunctionAnalyses.h"

namespace ergon {

/// LLVM's cost of \p I in target operations.
unsigned targetUnits(const Instruction &I, const llvm::TargetTransformInfo &TTI);

/// Instructions of the shuffle \p I; of another instruction, targetUnits(). The shuffles of a wide
/// load are shared by all values extracted from it.
double shuffleUnits(const Instruction &I, const FunctionAnalyses &Analyses);

} // namespace ergon
