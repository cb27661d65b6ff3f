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

namespace ergon {

/// The spelling of \p Symbol in the language of \p M.
std::string sourceName(StringRef Symbol, const llvm::Module &M);

} // namespace ergon
