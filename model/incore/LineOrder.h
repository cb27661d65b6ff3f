//===- LineOrder.h - order of line accesses ---------------------*- C++ -*-===//
//
// The access pattern that hardware prefetchers see: consecutive lines, runs of lines with gaps, or
// random lines.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/access/AccessProgram.h"

#include <limits>
#include <span>

namespace ergon {

struct LineOrder {
  bool IsKnown = true;       ///< otherwise the lines are random
  bool LeavesBytes = false;  ///< only one operand of a line is accessed
  double RunLines = Endless; ///< consecutive lines
  double GapLines = 0;       ///< lines skipped between two such runs

  /// Whether the lines are consecutive, as in a stream.
  bool isInOrder() const { return IsKnown && GapLines == 0; }

  static constexpr double Endless = std::numeric_limits<double>::infinity();
};

/// A loop around an access and its mean trip count.
struct LoopAround {
  const std::string &Variable;
  double Trips;
};

/// For \p Access in \p Around, the innermost loop last, which with others accesses \p BytesBeside
/// each other in an iteration.
LineOrder lineOrder(const MemoryAccess &Access, std::span<const LoopAround> Around,
                    unsigned LineBytes, double BytesBeside = 0);

} // namespace ergon
