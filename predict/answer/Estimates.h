//===- Estimates.h - counts where symbols have no value ---------*- C++ -*-===//
//
// Counts with estimates in the place of unbound symbols, and how far the answer moves over the
// ranges of these (docs/estimates.md).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/SymbolEstimate.h"
#include "predict/answer/EntryCounts.h"
#include "predict/answer/RunSize.h"

#include <expected>
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

/// The counts of \p Entry with \p Values, and with estimates of what these leave unbound; without
/// \p SizeOf they are not compared, and have no range; with \p OfAccesses also of what its accesses
/// depend on. Calls of unknown cost are left out (Counts.LeftOut). Error: as of
/// CountedEntry::counts().
std::expected<EstimatedCounts, Error> estimateCounts(CountedEntry &Entry,
                                                     std::vector<GivenValue> Values,
                                                     std::set<std::size_t> *NotHere,
                                                     bool OfAccesses, const RunSize &SizeOf);

} // namespace ergon
