//===- FunctionComparison.h - one function, analyzed twice ------*- C++ -*-===//
#ifndef ERGON_MODEL_PROGRAM_FUNCTIONCOMPARISON_H
#define ERGON_MODEL_PROGRAM_FUNCTIONCOMPARISON_H

#include "model/program/Function.h"

#include <cstddef>

namespace ergon {

/// True where the two do the same: they differ in names and places in the source at most. clang
/// describes a class in the debug information of one translation unit alone, so what a member is
/// called in one is an offset in another.
bool isSameButNames(const Function &Left, const Function &Right);

/// How many integers and objects in memory have no name, but an offset: `(domain+1256)`.
std::size_t countUnnamed(const Function &F);

} // namespace ergon

#endif
