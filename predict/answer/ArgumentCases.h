//===- ArgumentCases.h - formulas by values of arguments --------*- C++ -*-===//
//
// A routine such as BLAS' dgemm does other work for other characters, logicals, enumerators and
// special numbers of its arguments. For each case of these, its work is one formula in sizes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Program.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ergon {

/// The work of one run where some arguments have certain values.
struct ArgumentCase {
  /// Arguments as the source has them, and their values in words: `{"transa", "N"}`, `{"alpha",
  /// "0"}`, `{"uplo", "L or U"}`, `{"beta", "other"}`. Arguments that do not matter are left out.
  std::vector<std::pair<std::string, std::string>> When;
  Expr Work; ///< flops
};

/// A number that a condition compares a symbol with.
struct SymbolLimit {
  Rational Number;
  unsigned Side; ///< 1: the condition holds from there up; 2: up to there
};
/// That of the condition that \p Margin is not negative; nothing where it is not linear in
/// \p Symbol, or depends on others.
std::optional<SymbolLimit> limitIn(const Expr &Margin, const std::string &Symbol);

/// The values of \p Symbol that \p F tells apart, where it is a floating-point number, a character,
/// a logical or an enumeration: an ordinary one first. None for other symbols.
std::vector<Rational> caseValues(const Function &F, const std::string &Symbol);

/// The cases of \p F, which together are all that may be; none where no such argument matters, or
/// more do than a table is for.
std::vector<ArgumentCase> argumentCases(const Function &F, const FunctionLookup &Find);

/// Whether \p Symbol is the number of a program's arguments and its own name.
bool isArgumentCount(const std::string &Symbol, const Function &Entry);

} // namespace ergon
