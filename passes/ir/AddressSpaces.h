//===- AddressSpaces.h - where an access goes -------------------*- C++ -*-===//
//
// The memory space and the object of a pointer. Device code keeps flat pointers
// this early in the pipeline, so the space comes from the object underneath, by
// the rules that the NVPTX back end uses when it lowers a kernel's arguments.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_IR_ADDRESSSPACES_H
#define ERGON_PASSES_IR_ADDRESSSPACES_H

#include "model/machine/CostClass.h"

namespace llvm {
class Function;
class LoopInfo;
class Module;
class Value;
} // namespace llvm

namespace ergon {

/// Compiled for a GPU: spaces are those of a device.
bool isDevice(const llvm::Module &M);
/// A function that a host launches.
bool isKernel(const llvm::Function &F);

struct Pointee {
  Space Where;
  /// The one object that the pointer points into, or null.
  const llvm::Value *Object;
};
/// What \p Pointer, used in \p F, points into.
Pointee pointeeOf(const llvm::Value &Pointer, const llvm::Function &F, const llvm::LoopInfo &LI);

} // namespace ergon

#endif
