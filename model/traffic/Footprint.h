//===- Footprint.h - footprints of loops, as formulas -----------*- C++ -*-===//
//
// The bytes of each object that one iteration of a loop and the whole loop touch, as formulas in
// the parameters. They show up to which size a loop's working set fits a cache.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/access/AccessProgram.h"

namespace ergon {

/// Upper bound of the bytes of one object: gaps shorter than a line are filled, and in a triangular
/// loop nest every row is taken to be as long as the longest.
struct ObjectFootprint {
  unsigned ObjectIndex; ///< in AccessProgram::Objects
  Expr IterationBytes, LoopBytes;
};

struct LoopFootprint {
  std::string Variable;
  SourceLocation Location;
  unsigned Depth; ///< loop depth
  std::vector<ObjectFootprint> Objects;
  /// The sum over objects. IterationBytes holds this loop and all enclosing loops at one iteration.
  Expr IterationBytes, LoopBytes;
  /// False if the address of an access is unknown; the footprint may then be larger.
  bool IsComplete = true;
};

/// For each loop in text order, with lines of \p LineBytes.
std::vector<LoopFootprint> footprintsOf(const AccessProgram &Program, unsigned LineBytes);

/// The largest integer \p Parameter, up to 2^40, for which \p Bytes is at most \p Limit. The
/// formula must be monotonically non-decreasing in it; \p Bound binds all other symbols. nullopt if
/// a symbol is unbound or 1 does not fit; 2^40 if every value fits.
std::optional<std::int64_t> largestFittingValue(const Expr &Bytes, const std::string &Parameter,
                                                std::uint64_t Limit, const Substitution &Bound);

} // namespace ergon
