//===- FortranNames.h - names in Fortran source -----------------*- C++ -*-===//
//
// flang's names: `_QMgridPrelax` is the procedure `relax` of module `grid`, and
// an external procedure `relax` is `relax_`. The scheme is described in flang's
// docs/BijectiveInternalNameUniquing.md.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/ir/LLVM.h"

#include <string>

namespace llvm {
class Constant;
class GlobalVariable;
} // namespace llvm

namespace ergon {

/// What \p Global holds all the time, if it is a constant that no other unit can change: flang's
/// literals have names that tell their bytes, so that all of a name are equal. Else null.
llvm::Constant *fixedContent(const llvm::GlobalVariable &Global);

/// True for a module of Fortran. Its arguments do not overlap, and no function keeps their
/// addresses.
bool isFortran(const llvm::Module &M);

/// The spelling of \p Symbol in the language of \p M.
std::string sourceName(StringRef Symbol, const llvm::Module &M);

/// The file that \p M was made of. flang gives all its modules one name: debug information has the
/// file's, and without it the first symbol that the unit defines tells it apart from the program's
/// others.
std::string sourceFile(const llvm::Module &M);

} // namespace ergon
