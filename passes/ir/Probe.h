//===- Probe.h - counters for an unknown ------------------------*- C++ -*-===//
//
// The counters that give an unknown its value, and what a run counts of a function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/ir/LLVM.h"

#include "llvm/ADT/DenseSet.h"

#include <string>
#include <utility>
#include <vector>

namespace ergon {

/// From one block to the next; without the first, every edge into the second.
using Edge = std::pair<const BasicBlock *, const BasicBlock *>;
using Edges = SmallVector<Edge, 2>;

/// The unknown's value is how often control goes along an edge of `Numerator`, divided by how often
/// it goes along one of `Denominator`.
struct Probe {
  Edges Numerator = {}, Denominator = {};
  /// Set instead of the numerator: the mean is of an integer, each time that `Point` runs; of
  /// `Bits` of it from bit `Low` on. Without a denominator, by how often that is.
  const llvm::Value *Value = nullptr;
  const Instruction *Point = nullptr;
  unsigned Low = 0, Bits = 64;
  /// Set where the integer is a number of elements: those of so many bytes from this pointer to
  /// `Value`, which is one too.
  const llvm::Value *Start = nullptr;
  unsigned ElementBytes = 0;

  /// Nothing that runs gives the value.
  bool empty() const { return Denominator.empty() && !Value; }
};

/// A call through a pointer: a run counts the functions that it calls. A direct call: the arguments
/// that it passes together.
struct PointerCall {
  std::string Symbol;
  const CallBase *Site;
  /// Arguments whose mean is needed for each of the functions, or that are counted.
  SmallVector<unsigned, 2> Arguments;
};

/// What a run of the program will count of a function.
struct CountRequest {
  /// For a recursive function: the functions of its call cycle, including itself. No formula in one
  /// call's parameters holds for all calls together, so each block has an unknown.
  const llvm::DenseSet<const llvm::Function *> *Cycle;
  std::vector<Probe> Probes = {}; ///< by unknown; set by the analysis
  std::vector<PointerCall> Calls = {};
  /// Whether blocks and loops are counted beside their formulas, and the symbols and counters of
  /// those that are.
  bool HasPlaces = false;
  std::vector<std::pair<std::string, Probe>> Places = {};
};

} // namespace ergon
