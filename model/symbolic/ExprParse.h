//===- ExprParse.h - expressions that share symbols -------------*- C++ -*-===//
#pragma once

#include "model/symbolic/Expr.h"

#include <functional>

namespace ergon {

/// The symbol of a name, as an expression.
using SymbolSource = std::function<Expr(std::string)>;

/// parseExpr() with symbols from \p Symbols. Where expressions share a symbol's atom, it is in
/// memory once, and equal ones are known by their address.
std::expected<Expr, Error> parseExpr(std::string_view Text, const SymbolSource &Symbols);

} // namespace ergon
