//===- AddressSpaces.h - memory spaces of pointers --------------*- C++ -*-===//
//
// The memory space and the object of a pointer. Device code keeps flat pointers
// this early in the pipeline, so the space comes from the object underneath, by
// the rules that the NVPTX back end uses when it lowers a kernel's arguments.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/CostClass.h"
#include "passes/ir/LLVM.h"

namespace ergon {

/// Whether it is compiled for a GPU, with a device's address spaces.
bool isDevice(const llvm::Module &M);
/// Whether a host launches it.
bool isKernel(const llvm::Function &F);

struct Pointee {
  Space Where;
  /// The one target object of the pointer, or null.
  const llvm::Value *Object;
};
/// The target of \p Pointer, used in \p F.
Pointee pointeeOf(const llvm::Value &Pointer, const llvm::Function &F, const llvm::LoopInfo &LI);

} // namespace ergon
