//===- ExprRanges.h - where conditions hold ---------------------*- C++ -*-===//
//
// An indicator that is linear in a variable, or that has a power of it, cuts the
// variable's range. Sums take their bounds from that, loops their first and last
// iterations.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_SYMBOLIC_EXPRRANGES_H
#define ERGON_MODEL_SYMBOLIC_EXPRRANGES_H

#include "model/symbolic/Expr.h"

namespace ergon {

/// How an indicator cuts a variable's range.
struct Cut {
  bool IsLower;
  Expr Bound;
};

/// The cut that [\p Value >= 0] makes among the numbers from \p First on, for a value
/// a·variable + b with a number or something evidently positive (or negative) as a,
/// perhaps because one of the indicators \p Given says so.
std::optional<Cut> cutOf(const Expr &Value, const std::string &Variable, const Expr &First,
                         const Monomial &Given = {});

/// The first time that something happens.
struct Occurrence {
  Expr Index;
  /// 1 where it does, else 0.
  Expr Happens = Expr(1);
};
/// The one that comes first of two; nothing where that would be a long formula.
std::optional<Occurrence> firstOf(const Occurrence &O, const Occurrence &Other);

/// Conditions of which one must hold, each a product of indicators.
using Ways = std::vector<Expr>;
/// \p Condition, which is 1 or 0, so written; nothing where that is not simple.
std::optional<Ways> waysOf(const Expr &Condition);
/// The ways in which \p Value is not negative.
std::optional<Ways> waysNonNegative(const Expr &Value);
std::optional<Ways> bothOf(const std::optional<Ways> &W, const std::optional<Ways> &Other);
std::optional<Ways> eitherOf(std::optional<Ways> W, const std::optional<Ways> &Other);
/// The least whole number from zero on, as \p Variable, for which one of \p Conditions
/// holds. Nothing where they are not linear in the variable.
std::optional<Occurrence> firstOf(const Ways &Conditions, const std::string &Variable);

} // namespace ergon

#endif
