//===- UnrolledLoops.h - source loops that are straight code ----*- C++ -*-===//
//
// A loop of a constant trip count may be vectorized and then fully unrolled: no vector loop is
// left, only code outside of loops, often beside the scalar loop for objects that overlap. The
// positions of its instructions tell which code that is.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Instructions.h"
#include "passes/incore/LoopPosition.h"
#include "passes/ir/LLVM.h"

#include <map>
#include <optional>

namespace ergon {

class InstructionMixer;

/// The unrolled code of a source loop.
struct UnrolledLoop {
  /// As a machine loop of one iteration, whose step is what it does of the source loop.
  MachineLoop Made;
  const BasicBlock *Start = nullptr; ///< where the code begins
};

/// An instruction of the source: its position, and its opcode.
using SourceInstruction = std::pair<LoopPosition, unsigned>;

class UnrolledLoops {
public:
  /// Notes the instructions of innermost loops before they are vectorized and unrolled.
  void note(const llvm::LoopInfo &Before);
  /// The code of noted loops in \p F outside of the innermost loops of \p After, by their
  /// positions; not of those of which only single instructions were moved out.
  std::map<LoopPosition, UnrolledLoop> find(const llvm::Function &F, const llvm::LoopInfo &After,
                                            const InstructionMixer &Mixer) const;

private:
  /// By position of an instruction; nothing where several loops have one there.
  std::map<LoopPosition, std::optional<LoopPosition>> LoopOf;
  /// How often an iteration runs instructions that copies of its code keep.
  std::map<SourceInstruction, unsigned> PerIteration;

  std::optional<LoopPosition> loopOf(const Instruction &I) const;
};

} // namespace ergon
