//===- PtxCosts.h - what inline assembly of a GPU costs ---------*- C++ -*-===//
//
// PTX is regular: an instruction's name says its operation, types, space and
// vector size. Reference: NVIDIA, PTX ISA 9.0, chapter 9.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_PTXCOSTS_H
#define ERGON_PASSES_PTXCOSTS_H

#include "passes/Operations.h"

#include <string>

namespace llvm {
class CallBase;
} // namespace llvm

namespace ergon {

/// Counts the instructions of \p Site, inline assembly of device code. Returns the name
/// of the first one that no rule counts, or nothing. Where one jumps, none is counted.
std::string addPtx(const llvm::CallBase &Site, Tally &Into);

} // namespace ergon

#endif
