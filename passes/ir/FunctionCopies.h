//===- FunctionCopies.h - copies of functions for analysis ------*- C++ -*-===//
//
// What analysis has to change first, as variables that become registers, it changes on a copy.
// That shares with the module what never changes, above all debug information: copying that as
// well takes as long as all of an unoptimized compilation.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_IR_FUNCTIONCOPIES_H
#define ERGON_PASSES_IR_FUNCTIONCOPIES_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace ergon {

/// The functions that \p M defines, the globals and declarations that they use, and no more: values
/// of a global that are addresses are those of \p M. Metadata is that of \p M, but that positions
/// are in no `atomGroup`. The copy is to be gone before \p M.
std::unique_ptr<llvm::Module> copyFunctions(const llvm::Module &M);
/// Those that \p IsWanted says; the others are declared.
std::unique_ptr<llvm::Module>
copyFunctions(const llvm::Module &M, llvm::function_ref<bool(const llvm::Function &)> IsWanted);

} // namespace ergon

#endif
