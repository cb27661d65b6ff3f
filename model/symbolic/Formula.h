//===- Formula.h - real-valued formulas -------------------------*- C++ -*-===//
//
// A formula as printed in a publication: 1.86e6*n^0.7*2^(1.1*(log2(p) - 1)). Counts of
// programs are whole and exact, see Expr.h; what is measured and fitted is neither,
// so a formula is evaluated in double precision.
//
//   sum     := product (('+' | '-') product)*
//   product := factor (('*' | '/') factor)*
//   factor  := ('+' | '-') factor | atom ['^' factor]
//   atom    := number | symbol | '(' sum ')' | function '(' sum (',' sum)* ')'
//
// with the functions log2 ln exp sqrt floor ceil min max, the last two of two
// operands. A symbol is letters, digits, `_` and `.`, and starts with no digit.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/Expr.h"

#include <expected>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

class Formula {
public:
  using Values = std::map<std::string, double, std::less<>>;

  /// A number.
  Formula() : Formula(0) {}
  explicit Formula(double Number);
  /// Error: the text is no formula; its place is the character, and it has no remedy.
  static std::expected<Formula, Error> parse(std::string_view Text);

  /// Error: an unbound symbol, or an undefined operation (a division by zero, a logarithm of a
  /// number that is not positive, an overflow).
  std::expected<double, EvaluationError> evaluate(const Values &V) const;

  /// The text given to parse(), and the symbols that evaluate() needs.
  const std::string &text() const { return Text; }
  const std::set<std::string, std::less<>> &symbols() const { return Symbols; }
  /// Whether it rounds, so that its derivative is useless.
  bool hasSteps() const;

private:
  friend class FormulaParser;

  /// Nodes in postfix order: each pops its operands off a stack and pushes its value.
  struct Node {
    enum class Kind { Number, Symbol, Function } What;
    double Number = 0;
    std::string Name = {}; ///< for a symbol
    std::size_t Function = 0;
  };
  std::string Text;
  std::set<std::string, std::less<>> Symbols;
  std::vector<Node> Nodes;
};

} // namespace ergon
