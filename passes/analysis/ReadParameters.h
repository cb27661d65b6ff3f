//===- ReadParameters.h - pointers that are only read -----------*- C++ -*-===//
//
// A caller loads its sizes again behind a call that was given their addresses. In Fortran all
// arguments are. Records tell which of them are only read, so that the numbers are still known.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Function.h"
#include "passes/ir/LLVM.h"

namespace ergon {

/// The pointer parameters of \p F through which it writes nothing, if it is of Fortran: there one
/// argument's object is reached through no other.
std::vector<ReadParameter> readParameters(const llvm::Function &F);

} // namespace ergon
