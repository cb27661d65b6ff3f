//===- MaskedAccesses.h - masked loads and stores ---------------*- C++ -*-===//
//
// A masked load or store accesses the lanes selected by a run-time mask; a gather or scatter
// accesses each lane separately. All lanes are counted: an upper bound, unless the mask is
// constant.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/ir/LLVM.h"

#include <optional>

namespace ergon {

struct MaskedAccess {
  /// The address; for several pointers, their common base.
  const llvm::Value *Pointer;
  bool IsLoad;
  /// Upper bound of machine accesses, and the bytes of each.
  long Times, Bytes;
  /// False where the mask selects every lane.
  bool IsBound;
};

/// \p I as a masked access, of LLVM's own intrinsics or of x86's.
std::optional<MaskedAccess> maskedAccess(const Instruction &I);

} // namespace ergon
