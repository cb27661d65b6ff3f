//===- PiecewiseSum.h - piecewise summation ---------------------*- C++ -*-===//
//
// The exact value of a sum in time independent of its number of terms, where the summand is
// piecewise a quasi-polynomial: polynomials, floor divisions by numbers, extrema, conditions and
// inner sums over such ranges.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/Expr.h"

namespace ergon {

/// Coefficients c of S_k(N) = sum of i^k over 0 <= i < N = sum of c[j]·N^j (Faulhaber).
std::vector<Rational> powerSum(unsigned K);

/// The value of the sum \p Sum over \p First <= variable <= \p Last, with the values of all other
/// symbols. Nothing where the summand is of another kind or has more than \p Left pieces, or where
/// a term has no value. Subtracts the pieces used from \p Left.
std::optional<Rational> piecewiseSum(const Atom &Sum, const Rational &First, const Rational &Last,
                                     const SymbolValues &Values, std::uint64_t &Left);

} // namespace ergon
