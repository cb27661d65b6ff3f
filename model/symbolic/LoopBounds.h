//===- LoopBounds.h - lower bounds of formulas ------------------*- C++ -*-===//
//
// Lower bounds of formulas with minima and maxima in induction variables; drops operands that never
// decide.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/ExprBounds.h"

namespace ergon {

/// A lower bound of \p Value where its symbols are in \p Bounds; nothing where none is evident.
std::optional<Rational> lowestOf(const Expr &Value, const SymbolBounds &Bounds);

/// \p Value without operands of minima and maxima that never determine the result.
Expr dropOperands(const Expr &Value, const SymbolBounds &Bounds);

} // namespace ergon
