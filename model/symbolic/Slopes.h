//===- Slopes.h - values of formulas and their slopes -----------*- C++ -*-===//
#pragma once

#include "model/symbolic/Expr.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ergon {

/// The change of a formula with each of its symbols, where the others stay: (symbol, slope). A
/// symbol may stand there several times; its slope is the sum. The names are those of the formula.
using Slopes = std::vector<std::pair<const std::string *, double>>;

/// The value of \p Formula, in double precision. Adds its slopes to \p Result, each times \p Scale.
/// Quotients are taken without their rounding; conditions, powers, logarithms and sums without a
/// closed form have no slope. \p Values has a number for every symbol.
double valueWithSlopes(const Expr &Formula,
                       const std::function<double(const std::string &)> &Values, double Scale,
                       Slopes &Result);

} // namespace ergon
