//===- Probe.h - counters for an unknown ------------------------*- C++ -*-===//
//
// The counters that give an unknown its value.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_IR_PROBE_H
#define ERGON_PASSES_IR_PROBE_H

#include "passes/ir/LLVM.h"

#include <string>
#include <utility>

namespace ergon {

/// From one block to the next; without the first, every edge into the second.
using Edge = std::pair<const BasicBlock *, const BasicBlock *>;
using Edges = SmallVector<Edge, 2>;

/// The unknown's value is how often control goes along an edge of `Numerator`, divided by how often
/// it goes along one of `Denominator`.
struct Probe {
  Edges Numerator = {}, Denominator = {};
  /// Set instead of both: the mean is of an integer, each time that `Point` runs; of
  /// `Bits` of it from bit `Low` on.
  const llvm::Value *Value = nullptr;
  const Instruction *Point = nullptr;
  unsigned Low = 0, Bits = 64;

  /// Nothing that runs gives the value.
  bool empty() const { return Denominator.empty() && !Value; }
};

/// A call through a pointer: a run counts the functions that it calls.
struct PointerCall {
  std::string Symbol;
  const CallBase *Site;
  /// Arguments whose mean is needed for each of the functions.
  SmallVector<unsigned, 2> Arguments;
};

} // namespace ergon

#endif
