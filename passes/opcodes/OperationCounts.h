//===- OperationCounts.h - from an instruction to its counts ----*- C++ -*-===//
//
// The one table from LLVM's opcodes, intrinsics and library functions to cost
// classes. docs/counting-rules.md says the same in words.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_OPCODES_OPERATIONCOUNTS_H
#define ERGON_PASSES_OPCODES_OPERATIONCOUNTS_H

#include "passes/ir/FunctionAnalyses.h"
#include "passes/opcodes/Operations.h"

#include <string>

namespace llvm {
class CallBase;
class Function;
class Instruction;
class TargetLibraryInfo;
} // namespace llvm

namespace ergon {

/// What a call is, beyond what the tally holds of it.
enum class CallKind {
  None,   ///< counted as an operation, or not at all
  Memory, ///< memcpy, memmove or memset: bytes are operands
  Launch, ///< of a CUDA kernel
  Opaque, ///< runs code elsewhere
};

class OperationCounts {
public:
  explicit OperationCounts(const FunctionAnalyses &Analyses) : Analyses(Analyses) {}

  /// Adds what one run of \p I counts. Calls: see classify().
  void add(const llvm::Instruction &I, Tally &Sum) const;
  CallKind classify(const llvm::CallBase &Site) const;
  /// What to call the inline assembly \p Site where it holds instructions that no
  /// table knows; empty where all of them are counted.
  static std::string openAssembly(const llvm::CallBase &Site);
  /// The operation that a call of the math library is; LLVM knows `fma` by its
  /// intrinsic only.
  static Operation libraryOperation(const llvm::CallBase &Site, const llvm::TargetLibraryInfo &TLI);
  /// True where the target fuses `fmuladd`.
  static bool hasFma(const llvm::Function &F);
  /// True where the code generator makes one operation of the sum \p I and a product: both
  /// may be contracted, and the product stands in the same block and is used here alone.
  static bool isContracted(const llvm::Instruction &I);

private:
  const FunctionAnalyses &Analyses;

  void addCall(const llvm::CallBase &Site, Tally &Sum) const;
  void addMemory(const llvm::Instruction &I, Tally &Sum) const;
};

} // namespace ergon

#endif
