//===- Estimates.h - counts where symbols have no value ---------*- C++ -*-===//
//
// Counts with estimates in the place of unbound symbols, and how far the answer moves over the
// ranges of these (docs/estimates.md).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "predict/answer/EstimatedCounts.h"

#include <expected>
#include <set>
#include <vector>

namespace ergon {

/// The counts of \p Entry with \p Values, and with estimates of what these leave unbound; without
/// \p SizeOf they are not compared, and have no range; with \p OfAccesses also of what its accesses
/// depend on. Calls of unknown cost are left out (Counts.LeftOut). Error: as of
/// CountedEntry::counts().
std::expected<EstimatedCounts, Error> estimateCounts(CountedEntry &Entry,
                                                     std::vector<GivenValue> Values,
                                                     std::set<std::size_t> *NotHere,
                                                     bool OfAccesses, const RunSize &SizeOf);

} // namespace ergon
