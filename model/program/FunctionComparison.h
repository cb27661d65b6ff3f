//===- FunctionComparison.h - compares analyses of one function -*- C++ -*-===//
#pragma once

#include "model/program/Function.h"

#include <cstddef>

namespace ergon {

/// True where both do the same: they differ at most in names and source positions. clang describes
/// a class in the debug information of only one translation unit, so a member's name in one is an
/// offset in another.
bool isSameButNames(const Function &Left, const Function &Right);

/// Number of integers and objects in memory with an offset instead of a name: `(domain+1256)`.
std::size_t countUnnamed(const Function &F);

} // namespace ergon
