//===- OverlapShare.h - how often objects overlap ---------------*- C++ -*-===//
//
// Vector loops with a run-time check run only where the loop's accesses do not overlap; elsewhere
// the scalar loop does. Which is which follows from the accesses' formulas.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/access/AccessProgram.h"

#include <span>

namespace ergon {

/// The share of the entries of the innermost of \p Loops, from the outermost one to it, whose
/// accesses fail \p Check. Formulas in these loops' variables alone; asked at some iterations of
/// the outer loops. Objects of different names do not overlap.
double overlapShare(std::span<const AccessNest *const> Loops, const OverlapCheck &Check);

} // namespace ergon
