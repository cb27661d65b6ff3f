//===- CodeWriter.h - a function's code as text -----------------*- C++ -*-===//
#pragma once

#include "passes/symbolic/SourceNames.h"

#include <string>

namespace ergon {

/// The code of host function \p F that decides what it does, as model/code/Code.h describes it.
/// Empty for one that is too large.
std::string codeOf(const llvm::Function &F, const SourceNames &Names);

} // namespace ergon
