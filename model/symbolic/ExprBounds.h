//===- ExprBounds.h - values between two numbers ----------------*- C++ -*-===//
//
// What is known of a symbol may be an interval; then that is what is known of a
// formula.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_SYMBOLIC_EXPRBOUNDS_H
#define ERGON_MODEL_SYMBOLIC_EXPRBOUNDS_H

#include "model/symbolic/Expr.h"

namespace ergon {

/// All values from Low to High.
struct Bounds {
  Rational Low, High;
};
using SymbolBounds = std::map<std::string, Bounds>;

/// Numbers that \p Value lies between where its free symbols lie in \p Symbols: the least
/// and the greatest where each symbol stands in it to the first power, as shares of
/// branches do; else wider by what the formula's parts have in common. Error: an
/// unbound symbol, a divisor that may be 0, or a sum of too many terms.
std::expected<Bounds, EvaluationError> boundsOf(const Expr &Value, const SymbolBounds &Symbols,
                                                std::uint64_t MaxSteps = 20'000'000);

/// The same, where \p Value is a number and multiples of symbols, which is most often so;
/// nothing where it is not.
std::optional<Bounds>
boundsOfLinear(const Expr &Value, const std::function<Bounds(const std::string &)> &BoundsOfSymbol);

} // namespace ergon

#endif
