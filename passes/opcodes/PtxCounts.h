//===- PtxCounts.h - counts of GPU inline assembly --------------*- C++ -*-===//
//
// PTX is regular: an instruction's name says its operation, types, space and
// vector size. Reference: NVIDIA, PTX ISA 9.0, chapter 9.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/Expr.h"
#include "passes/opcodes/Operations.h"

#include <map>
#include <string>

namespace ergon {

/// Lanes of a warp, counted in groups of \c Width threads: those from \c First to \c Last.
struct LaneRange {
  long Width, First, Last;
};

/// 1 in the threads whose lane is in \p Lanes, else 0.
Expr isInLanes(const LaneRange &Lanes);

/// The counts of a piece of inline assembly.
struct PtxCounts {
  Tally Always{};
  /// What runs only where a predicate holds: by its name, with a `!` before it where
  /// it must not hold.
  std::map<std::string, Tally> Predicated;
  /// The lanes in which a predicate holds, where a shuffle sets it: does the lane that it
  /// reads from exist? Others depend on data.
  std::map<std::string, LaneRange> Lanes;
  /// The first instruction without a rule, or nothing. If one jumps, none is counted.
  std::string Open;
};

/// The counts of \p Site, inline assembly of device code.
PtxCounts ptxCounts(const CallBase &Site);

} // namespace ergon
