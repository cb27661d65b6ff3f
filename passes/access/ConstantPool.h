//===- ConstantPool.h - numbers that code keeps in memory -------*- C++ -*-===//

#ifndef ERGON_PASSES_ACCESS_CONSTANTPOOL_H
#define ERGON_PASSES_ACCESS_CONSTANTPOOL_H

#include "model/program/Function.h"

namespace llvm {
class Function;
} // namespace llvm

namespace ergon {

/// The loads of floating-point constants that x86 code does: an instruction has no room
/// for one, so each lies in memory, is loaded before the loops that use it, and costs
/// traffic, though no count. None for other targets.
std::vector<Access> constantLoads(const llvm::Function &F);
/// Puts them before all else that \p Body, of \p F, does.
void addConstantLoads(const llvm::Function &F, Loop &Body);

} // namespace ergon

#endif
