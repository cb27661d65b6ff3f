//===- LineOrder.h - in what order lines are asked for ----------*- C++ -*-===//
//
// What an access asks of memory's prefetchers: lines one after the other, runs of some lines with
// others between, or any line.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_INCORE_LINEORDER_H
#define ERGON_MODEL_INCORE_LINEORDER_H

#include "model/access/AccessProgram.h"

#include <limits>
#include <span>

namespace ergon {

struct LineOrder {
  bool IsKnown = true;       ///< else any line may be the next
  bool LeavesBytes = false;  ///< of a line only one operand is accessed
  double RunLines = Endless; ///< lines one after the other
  double GapLines = 0;       ///< that are left out between two such runs

  /// Whether each line follows the one before, as a stream's do.
  bool isInOrder() const { return IsKnown && GapLines == 0; }

  static constexpr double Endless = std::numeric_limits<double>::infinity();
};

/// A loop around an access, and how many iterations it has each time, in the mean.
struct LoopAround {
  const std::string &Variable;
  double Trips;
};

/// Of \p Access in \p Around, the innermost loop last.
LineOrder lineOrder(const MemoryAccess &Access, std::span<const LoopAround> Around,
                    unsigned LineBytes);

} // namespace ergon

#endif
