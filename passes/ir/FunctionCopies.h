//===- FunctionCopies.h - copies of functions for analysis ------*- C++ -*-===//
//
// Analyses that must change the code, such as promoting variables to registers, work on a copy. It
// shares with the module what never changes, above all debug information: copying that takes as
// long as an unoptimized compilation.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/ir/LLVM.h"

#include <memory>

namespace ergon {

/// The functions that \p M defines and \p IsWanted accepts, with only the globals and declarations
/// that they use: addresses in a global's initializer are those of \p M. Metadata is that of \p M,
/// but positions have no `atomGroup`. The copy must be destroyed before \p M.
std::unique_ptr<llvm::Module> copyFunctions(
    const llvm::Module &M, function_ref<bool(const llvm::Function &)> IsWanted =
                               [](const llvm::Function &) { return true; });

} // namespace ergon
