//===- EstimatedCounts.h - counts that rest on estimates --------*- C++ -*-===//
#pragma once

#include "model/program/SymbolEstimate.h"
#include "predict/answer/EntryCounts.h"
#include "predict/answer/RunSize.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// Counts in which estimates stand for the symbols without a value.
struct EstimatedCounts {
  EntryCounts Counted;                   ///< its bindings hold the estimates too
  std::vector<SymbolEstimate> Estimates; ///< the largest share of the spread first
  /// The counts with each symbol at the end of its range that makes the run shorter, and at the
  /// other end. Absent: nothing is estimated.
  std::optional<CountValues> Least, Most;
  /// The interval of each class over the ranges of all symbols.
  std::map<std::string, Bounds> Ranges;
  /// The least of each class whose interval has no end.
  std::map<std::string, Rational> AtLeast;
  /// The range of a symbol that the answer grows with has no end, or a recursion is left out:
  /// `Most` is a lower bound.
  bool IsUnbounded = false;
};

} // namespace ergon
