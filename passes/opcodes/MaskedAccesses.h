//===- MaskedAccesses.h - loads and stores of some lanes --------*- C++ -*-===//
//
// A masked load or store moves the lanes that its mask chooses when the program
// runs; a gather or scatter moves each lane by itself. What all lanes would move
// is counted: an upper bound, where the mask is no constant.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_OPCODES_MASKEDACCESSES_H
#define ERGON_PASSES_OPCODES_MASKEDACCESSES_H

#include <optional>

namespace llvm {
class Instruction;
class Value;
} // namespace llvm

namespace ergon {

struct MaskedAccess {
  /// Where it goes; of several pointers, what they have in common.
  const llvm::Value *Pointer;
  bool IsLoad;
  /// Accesses that the machine makes of it, and bytes of each, at most.
  long Times, Bytes;
  /// False where the mask lets every lane through.
  bool IsBound;
};

/// \p I as a masked access, of LLVM's own intrinsics or of x86's.
std::optional<MaskedAccess> maskedAccess(const llvm::Instruction &I);

} // namespace ergon

#endif
