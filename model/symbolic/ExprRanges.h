//===- ExprRanges.h - ranges where conditions hold --------------*- C++ -*-===//
//
// An indicator that is linear in a variable, or has a power of it, limits the variable's range.
// Sums take their bounds from it, loops their first and last iterations.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/Expr.h"

namespace ergon {

/// How an indicator limits a variable's range.
struct Cut {
  bool IsLower;
  Expr Bound;
};

/// The limit that [\p Value >= 0] sets for the variable from \p First on, for a value a·variable +
/// b where a is a number or evidently positive (or negative), perhaps because an indicator of \p
/// Given implies it.
std::optional<Cut> cutOf(const Expr &Value, const std::string &Variable, const Expr &First,
                         const Monomial &Given = {});

/// The first value at which a condition holds.
struct Occurrence {
  Expr Index;
  /// 1 where it occurs, else 0.
  Expr Happens = Expr(1);
};
/// The earlier of two; nothing where that would be a long formula.
std::optional<Occurrence> firstOf(const Occurrence &O, const Occurrence &Other);

/// Alternative conditions, each a product of indicators: one must hold.
using Ways = std::vector<Expr>;
/// \p Condition, which is 1 or 0, as alternatives; nothing where that is not simple.
std::optional<Ways> waysOf(const Expr &Condition);
/// The alternatives in which \p Value is not negative.
std::optional<Ways> waysNonNegative(const Expr &Value);
std::optional<Ways> bothOf(const std::optional<Ways> &W, const std::optional<Ways> &Other);
std::optional<Ways> eitherOf(std::optional<Ways> W, const std::optional<Ways> &Other);
/// The smallest integer \p Variable, from zero on, for which one of \p Conditions holds. Nothing
/// where they are not linear in the variable.
std::optional<Occurrence> firstOf(const Ways &Conditions, const std::string &Variable);

} // namespace ergon
