//===- Footprint.h - footprints of loops, as formulas -----------*- C++ -*-===//
//
// The bytes of each object that one iteration of a loop and the whole loop touch, as formulas in
// the parameters. They show up to which size a loop's working set fits a cache.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/access/AccessProgram.h"

namespace ergon {

/// Upper bound of the bytes of one object: gaps shorter than a line are filled, and in a triangle
/// every row is as long as the longest.
struct ObjectFootprint {
  unsigned Object; ///< its number in the program
  Expr PerIteration, Whole;
};

struct LoopFootprint {
  std::string Variable;
  SourceLocation Location;
  unsigned Depth; ///< loop depth
  std::vector<ObjectFootprint> Objects;
  /// The sum over objects. An iteration is one of this loop and of all loops around it.
  Expr PerIteration, Whole;
  /// False where some access may go anywhere, so that it may be more.
  bool IsComplete = true;
};

/// For each loop in text order, with lines of \p LineBytes.
std::vector<LoopFootprint> footprintsOf(const AccessProgram &Program, unsigned LineBytes);

/// The largest integer \p Parameter, up to 2^40, for which \p Bytes is at most \p Limit. The
/// formula must not decrease in it; \p Bound binds all other symbols. Nothing where a symbol
/// remains unbound or 1 does not fit; 2^40 where all do.
std::optional<std::int64_t> largestFitting(const Expr &Bytes, const std::string &Parameter,
                                           std::uint64_t Limit, const Substitution &Bound);

} // namespace ergon
