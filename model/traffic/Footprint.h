//===- Footprint.h - bytes that loops touch, as formulas --------*- C++ -*-===//
//
// How many bytes of each object one iteration of a loop touches, and how many the whole loop
// does, in the parameters: what tells up to which size a loop's data fit a cache.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_TRAFFIC_FOOTPRINT_H
#define ERGON_MODEL_TRAFFIC_FOOTPRINT_H

#include "model/access/AccessProgram.h"

namespace ergon {

/// Bytes of one object, at most: rows that leave gaps shorter than a line are whole, and in a
/// triangle every row is as long as the longest.
struct ObjectFootprint {
  unsigned Object; ///< its number in the program
  Expr PerIteration, Whole;
};

struct LoopFootprint {
  std::string Variable;
  SourceLocation Location;
  unsigned Depth; ///< how many loops are around it
  std::vector<ObjectFootprint> Objects;
  /// The sum over objects; of one iteration, in which all loops around stand still, too.
  Expr PerIteration, Whole;
  /// Some access may go anywhere, so that it may be more.
  bool IsComplete = true;
};

/// Of each loop, in the order of the program's text, with lines of \p LineBytes.
std::vector<LoopFootprint> footprintsOf(const AccessProgram &Program, unsigned LineBytes);

/// The largest whole number for \p Parameter, up to 2^40, with which \p Bytes is not above
/// \p Limit, for a formula that does not fall as it grows; all else is bound by \p Bound. Nothing
/// where a symbol is left or not even 1 fits; 2^40 where all do.
std::optional<std::int64_t> largestFitting(const Expr &Bytes, const std::string &Parameter,
                                           std::uint64_t Limit, const Substitution &Bound);

} // namespace ergon

#endif
