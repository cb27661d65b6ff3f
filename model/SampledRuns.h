//===- SampledRuns.h - what loops do for many sizes -------------*- C++ -*-===//
//
// Whether a loop is ever long, and how far apart its accesses ever are, for sizes that a formula
// leaves open: the rest of a vector loop, or a matrix whose size the type has, is not worth a
// word. Values are drawn, small and large ones, always the same.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_SAMPLEDRUNS_H
#define ERGON_MODEL_SAMPLEDRUNS_H

#include "model/Function.h"

#include <span>

namespace ergon {

/// False where the innermost of the loops \p Around, outermost first, runs in some of the drawn
/// cases and has fewer than \p Iterations in all of them.
bool mayRunLong(std::span<const Loop *const> Around, double Iterations);

/// The most bytes that any drawn case has between the first and the last place of \p Offset in
/// the loops \p Around; infinite where that is not known.
double farthest(const Expr &Offset, std::span<const Loop *const> Around);

} // namespace ergon

#endif
