//===- ExprBounds.h - interval arithmetic -----------------------*- C++ -*-===//
//
// Evaluates a formula where symbols are known only as intervals.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/Expr.h"

namespace ergon {

/// The interval from Low to High.
struct Bounds {
  Rational Low, High;
};
using SymbolBounds = std::map<std::string, Bounds>;

/// An interval for a formula with too many terms to add up, if there is one.
using BoundsOfLongSum = std::function<std::optional<Bounds>(const Expr &, const SymbolValues &)>;

/// The interval of \p Value where its free symbols are in \p Symbols. Tight where each symbol
/// occurs only to the first power, as shares of branches do; otherwise wider, by the dependence
/// between parts of the formula. \p OfLong stands for sums of too many terms that rest on numbers.
/// Error: an unbound symbol, a divisor that may be 0, or another sum of too many terms.
std::expected<Bounds, EvaluationError> boundsOf(const Expr &Value, const SymbolBounds &Symbols,
                                                std::uint64_t MaxSteps = 20'000'000,
                                                const BoundsOfLongSum &OfLong = {});

/// The same for the common case that \p Value is linear in its symbols; nothing where it is not.
std::optional<Bounds>
boundsOfLinear(const Expr &Value, const std::function<Bounds(const std::string &)> &BoundsOfSymbol);

} // namespace ergon
