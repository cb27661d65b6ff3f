//===- ObjectExtents.h - how far accesses reach -----------------*- C++ -*-===//
//
// Which bytes of its object an access may touch, and which of an object all of a
// program's accesses do.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_ACCESS_OBJECTEXTENTS_H
#define ERGON_MODEL_ACCESS_OBJECTEXTENTS_H

#include "model/access/AccessProgram.h"
#include "model/symbolic/ExprBounds.h"

namespace ergon {

/// A loop around an access.
struct AroundLoop {
  std::string Variable;
  Expr Last;
};

/// Numbers that \p Value lies between in the iterations of \p Loops, the outermost first: its
/// least and greatest where it is affine in each iteration number, with `Last` put for one before
/// those around are looked at, so that triangles are no rectangles; else interval arithmetic.
/// Nothing where that finds none, or a loop never runs.
std::optional<Bounds> rangeOf(const Expr &Value, const std::vector<AroundLoop> &Loops);

/// From the first byte to behind the last one, counted from the object's start.
struct Extent {
  Rational First, End;
};

/// By object number, what its declaration or else its accesses say. Nothing for an object
/// of which no access says where it is.
std::vector<std::optional<Extent>> objectExtents(const AccessProgram &Program);

} // namespace ergon

#endif
