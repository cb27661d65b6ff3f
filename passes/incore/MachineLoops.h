//===- MachineLoops.h - machine loops of source loops -----------*- C++ -*-===//
//
// The vectorizers and the unroller turn one source loop into several: a vector loop, a narrower one
// and a scalar one for the remainder, which also runs where objects overlap. They keep the loop's
// source position, by which each is found at the end of the pipeline.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Function.h"
#include "passes/ir/LLVM.h"

#include "llvm/IR/DebugLoc.h"

#include <cstdint>
#include <map>
#include <tuple>

namespace ergon {

/// The position of the source loop of \p L. A vector loop has it only at its own branch.
llvm::DebugLoc positionOf(const llvm::Loop &L);

/// The current shape of \p L: lanes, and vectors per iteration.
LoopShape shapeOf(const llvm::Loop &L);

class InstructionMixer;

class MachineLoops {
public:
  /// Notes the steps of loops before they are vectorized and unrolled.
  void note(const llvm::LoopInfo &Before);
  /// Writes the machine loops of \p After into the loops of \p Summary at the same positions. Loops
  /// without a position, and removed ones, stay unknown.
  void apply(const llvm::LoopInfo &After, llvm::ScalarEvolution &SE, const InstructionMixer &Mixer,
             Function &Summary) const;

private:
  /// Line, column, file, and the call where the code was inlined.
  using LoopPosition =
      std::tuple<unsigned, unsigned, const llvm::DIFile *, const llvm::DILocation *>;
  std::map<LoopPosition, std::uint64_t> Steps;

  static LoopPosition positionKey(const llvm::DebugLoc &Position);
};

} // namespace ergon
