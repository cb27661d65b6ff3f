//===- OperationCounts.h - counts of instructions ---------------*- C++ -*-===//
//
// The one table from LLVM's opcodes, intrinsics and library functions to cost
// classes. docs/counting-rules.md says the same in words.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/ir/FunctionAnalyses.h"
#include "passes/opcodes/Operations.h"

#include "llvm/IR/Intrinsics.h"

#include <string>

namespace ergon {

/// The kind of a call, beyond its counts.
enum class CallKind {
  None,   ///< counted as an operation, or not at all
  Memory, ///< memcpy, memmove or memset: bytes are operands
  Launch, ///< of a CUDA kernel
  Opaque, ///< runs code elsewhere
};

class OperationCounts {
public:
  explicit OperationCounts(const FunctionAnalyses &Analyses) : Analyses(Analyses) {}

  /// Adds the counts of one run of \p I. Calls: see classify().
  void add(const Instruction &I, Tally &Sum) const;
  CallKind classify(const CallBase &Site) const;
  /// A name for the inline assembly \p Site if it has instructions unknown to the tables; otherwise
  /// empty.
  static std::string openAssembly(const CallBase &Site);
  /// The operation of an intrinsic; Free where it is none of arithmetic.
  static Operation intrinsicOperation(llvm::Intrinsic::ID Id);
  /// The operation of a math library call; LLVM knows `fma` by its intrinsic only.
  static Operation libraryOperation(const CallBase &Site, const llvm::TargetLibraryInfo &TLI);
  /// True where the target fuses `fmuladd`.
  static bool hasFma(const llvm::Function &F);
  /// True where the code generator fuses the sum \p I with a product: both may be contracted, and
  /// the product is in the same block and only used here.
  static bool isContracted(const Instruction &I);

private:
  const FunctionAnalyses &Analyses;

  void addCall(const CallBase &Site, Tally &Sum) const;
  void addMemory(const Instruction &I, Tally &Sum) const;
};

} // namespace ergon
