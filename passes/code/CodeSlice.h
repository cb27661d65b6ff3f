//===- CodeSlice.h - the code that decides what a function does -*- C++ -*-===//
//
// A backward slice: what writes to memory, launches and calls, what the values of unknown symbols
// are computed from, and the branches that decide whether these run.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/code/WaysMeeting.h"
#include "passes/symbolic/SourceNames.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace ergon {

/// A symbol whose value is some bits of a number where an instruction runs; or elements between two
/// pointers, as of a probe.
struct NotedValue {
  std::string Symbol;
  const llvm::Value *Value;
  const Instruction *Before; ///< or which gives the value
  unsigned Low, Bits;
  const llvm::Value *Start = nullptr;
  unsigned ElementBytes = 0;
};

/// A symbol that is how often control goes along some edges, divided by how often along others.
struct CountedShare {
  std::string Symbol;
  const Edges *Numerator, *Denominator;
};

/// The part of a function that decides what runs, and the values of unknown symbols in it.
class CodeSlice {
public:
  /// The slice of \p F; \p Names has its unknown symbols.
  CodeSlice(const llvm::Function &F, const SourceNames &Names);

  /// Whether \p I is in the slice.
  bool has(const Instruction &I) const { return Needed.contains(&I); }
  /// Where the ways of its branches meet again.
  const WaysMeeting &ways() const { return Ways; }
  /// The unknown symbols that are values of instructions.
  const std::vector<NotedValue> &noted() const { return Noted; }
  /// Those that are shares.
  const std::vector<CountedShare> &counted() const { return Counted; }
  /// The functions of calls that are not in the slice: nobody sees what these calls pass.
  llvm::SmallSetVector<const llvm::Function *, 8> skipped() const;
  /// Whether the slice decides how often \p Block runs.
  bool decides(const BasicBlock &Block) const;

private:
  const llvm::Function &F;
  WaysMeeting Ways;
  std::vector<NotedValue> Noted;
  std::vector<CountedShare> Counted;
  llvm::DenseSet<const Instruction *> Needed;
  llvm::DenseSet<const BasicBlock *> Decided;
  SmallVector<const Instruction *, 32> Open;

  void need(const llvm::Value *What);
  void needBlock(const BasicBlock &Block);
  void follow(const Instruction &I);
};

} // namespace ergon
