//===- Probe.h - counters for an unknown ------------------------*- C++ -*-===//
//
// The counters that give an unknown its value.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_IR_PROBE_H
#define ERGON_PASSES_IR_PROBE_H

#include "llvm/ADT/SmallVector.h"

#include <string>
#include <utility>

namespace llvm {
class BasicBlock;
class CallBase;
class Instruction;
class Value;
} // namespace llvm

namespace ergon {

/// From one block to the next; without the first, every edge into the second.
using Edge = std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>;
using Edges = llvm::SmallVector<Edge, 2>;

/// The unknown's value is how often control goes along an edge of `Numerator`, divided by how often
/// it goes along one of `Denominator`.
struct Probe {
  Edges Numerator = {}, Denominator = {};
  /// Set instead of both: the mean is of an integer, each time that `Point` runs; of
  /// `Bits` of it from bit `Low` on.
  const llvm::Value *Value = nullptr;
  const llvm::Instruction *Point = nullptr;
  unsigned Low = 0, Bits = 64;

  /// Nothing that runs gives the value.
  bool empty() const { return Denominator.empty() && !Value; }
};

/// A call through a pointer: a run counts the functions that it calls.
struct PointerCall {
  std::string Symbol;
  const llvm::CallBase *Site;
  /// Arguments whose mean is needed for each of the functions.
  llvm::SmallVector<unsigned, 2> Arguments;
};

} // namespace ergon

#endif
