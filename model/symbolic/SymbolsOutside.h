//===- SymbolsOutside.h - symbols as factors of sums ------------*- C++ -*-===//
#pragma once

#include "model/symbolic/Expr.h"

#include <map>
#include <set>
#include <string>

namespace ergon {

/// Takes symbols out of sums: Σ s·f(i) + g(i) becomes s·Σ f(i) + Σ g(i), at all depths. What stays
/// inside depends on fewer symbols, so that more sums are numbers.
class SymbolsOutside {
public:
  using Names = std::set<std::string>;
  /// Takes out \p Symbols, which must live as long.
  explicit SymbolsOutside(const Names &Symbols) : Symbols(Symbols) {}

  /// The same value. Itself where it would be too large.
  Expr of(const Expr &Value);
  /// Whether a symbol is free in \p Factor, a part of what is asked for as long as this lives.
  bool isIn(const AtomRef &Factor);

private:
  const Names &Symbols;
  std::map<AtomRef, bool> Depends;
  static constexpr std::size_t MaxSize = 200'000;

  Expr ofSum(const Atom &Sum);
};

} // namespace ergon
