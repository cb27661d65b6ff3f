//===- ConstantPool.h - floating-point constants in memory ------*- C++ -*-===//

#pragma once

#include "model/program/Function.h"
#include "passes/ir/LLVM.h"

namespace ergon {

/// Adds the loads of floating-point constants in x86 code in front of all else in \p Body, of \p F:
/// instructions have no floating-point immediates, so each constant is in memory and is loaded
/// before the loops that use it. That is traffic but no count. None for other targets.
void addConstantLoads(const llvm::Function &F, Loop &Body);

} // namespace ergon
