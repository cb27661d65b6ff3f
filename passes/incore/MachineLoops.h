//===- MachineLoops.h - machine loops of source loops -----------*- C++ -*-===//
//
// The vectorizers and the unroller turn one source loop into several: a vector loop, a narrower one
// and a scalar one for the remainder, which also runs where objects overlap. They keep the loop's
// source position, by which each is found at the end of the pipeline.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Function.h"
#include "passes/incore/UnrolledLoops.h"

#include <cstdint>
#include <map>

namespace ergon {

/// The current shape of \p L: lanes, and vectors per iteration.
LoopShape shapeOf(const llvm::Loop &L);

struct FunctionAnalyses;

/// What the compiler made of a source loop.
struct LoopVersions {
  LoopShape Shape;
  std::vector<MachineLoop> Made;
  std::optional<MachineLoop> Unrolled; ///< outside of loops
  bool operator==(const LoopVersions &) const = default;

  /// With the unrolled code, where it is most of \p Source.
  std::vector<MachineLoop> madeFor(const Loop &Source) const;
};

/// By file, line and column.
using VersionsByPosition = std::map<std::string, LoopVersions>;

class MachineLoops {
public:
  /// Notes the steps of loops before they are vectorized and unrolled.
  void note(const llvm::LoopInfo &Before);
  /// Adds the machine loops of the function \p After by their positions. Two inlined copies with
  /// different results are unknown.
  void describe(const FunctionAnalyses &After, llvm::ScalarEvolution &SE,
                VersionsByPosition &ByPosition) const;
  /// Writes them into the loops of \p Summary at the same positions. Loops without a position, and
  /// removed ones, stay unknown.
  static void apply(const VersionsByPosition &ByPosition, Function &Summary);

private:
  std::map<LoopPosition, std::uint64_t> Steps;
  /// The position of a loop's last branch, where it is another one: that of the `for` under a
  /// pragma.
  std::map<LoopPosition, LoopPosition> Ends;

  const LoopPosition *noted(const llvm::DebugLoc &Position) const;
  UnrolledLoops Unrolled;
};

} // namespace ergon
