//===- ObjectExtents.h - ranges of accesses ---------------------*- C++ -*-===//
//
// Which bytes of its object an access may touch, and which bytes of an object all accesses touch.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/access/AccessProgram.h"
#include "model/symbolic/ExprBounds.h"

namespace ergon {

/// A loop around an access.
struct AroundLoop {
  std::string Variable;
  Expr Last;
};

/// Bounds of \p Value in the iterations of \p Loops, outermost first: exact where it is affine in
/// each induction variable, as `Last` is substituted before the outer loops, so that triangles stay
/// triangles; otherwise by interval arithmetic. Nothing where that fails, or a loop never runs.
std::optional<Bounds> rangeOf(const Expr &Value, const std::vector<AroundLoop> &Loops);

/// From the first byte to one past the last, relative to the object's start.
struct Extent {
  Rational First, End;
  /// Taken to have as many elements as the largest other object: all that is known of it is that
  /// accesses may go anywhere in it.
  bool IsEstimated = false;
};

/// By object number, from its declaration or else its accesses. Nothing for an object without an
/// access of known address in a program without objects of known size.
std::vector<std::optional<Extent>> objectExtents(const AccessProgram &Program);

} // namespace ergon
