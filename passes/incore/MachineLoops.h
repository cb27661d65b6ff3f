//===- MachineLoops.h - what became of the source's loops -------*- C++ -*-===//
//
// The vectorizers and the unroller turn one loop of the source into several: a
// vector loop, a narrower one and a scalar one for what is left, which also
// also runs where objects overlap. They keep the loop's position in the source,
// by which each is found again at the end of the pipeline.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_INCORE_MACHINELOOPS_H
#define ERGON_PASSES_INCORE_MACHINELOOPS_H

#include "model/program/Function.h"

#include "llvm/IR/DebugLoc.h"

#include <cstdint>
#include <map>
#include <tuple>

namespace llvm {
class DIFile;
class DILocation;
class Loop;
class LoopInfo;
class ScalarEvolution;
} // namespace llvm

namespace ergon {

/// The position of the source's loop that \p L comes from. A vector loop keeps it at
/// its own branch alone.
llvm::DebugLoc positionOf(const llvm::Loop &L);

/// The shape of \p L as it stands: lanes, and vectors in one iteration.
LoopShape shapeOf(const llvm::Loop &L);

class InstructionMixer;

class MachineLoops {
public:
  /// Notes the steps of loops before they are vectorized and unrolled.
  void note(const llvm::LoopInfo &Before);
  /// Writes into the loops of \p Summary what \p After has at their positions. Loops
  /// without a position, and those that are gone, stay as they are: not known.
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

#endif
