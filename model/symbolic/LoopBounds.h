//===- LoopBounds.h - what a formula is at least ----------------*- C++ -*-===//
//
// Bounds of formulas with minima and maxima in the numbers of loops, that drop the
// operands that never decide.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_SYMBOLIC_LOOPBOUNDS_H
#define ERGON_MODEL_SYMBOLIC_LOOPBOUNDS_H

#include "model/symbolic/ExprBounds.h"

namespace ergon {

/// A number that \p Value is never below where its symbols lie in \p Bounds; nothing where none is
/// evident.
std::optional<Rational> lowestOf(const Expr &Value, const SymbolBounds &Bounds);

/// \p Value without operands of minima and maxima that are never the least or the greatest.
Expr dropOperands(const Expr &Value, const SymbolBounds &Bounds);

} // namespace ergon

#endif
