//===- Expr.h - exact symbolic expressions ----------------------*- C++ -*-===//
//
// Counts, trip counts and offsets are expressions in a program's parameters: polynomials with
// rational coefficients over atoms. An atom is a symbol, a floor division, a maximum, a minimum, an
// indicator [e >= 0], a sum without a closed form, a power c^e or a logarithm, rounded down.
// Expressions are values in a unique normal form, so equal polynomials compare equal; nothing is
// rounded before evaluation.
// Every symbol is an integer, except floating-point numbers, whose names begin with `~` (isReal),
// and means that are bound from outside (isMean).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/CompactVector.h"
#include "model/symbolic/Error.h"
#include "model/symbolic/Rational.h"

#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ergon {

class Expr;
struct Atom;
using AtomRef = std::shared_ptr<const Atom>;

/// A product of atoms to positive powers, sorted by atom. Empty: the number 1.
using Monomial = CompactVector<std::pair<AtomRef, unsigned>>;

/// One summand of an expression: a nonzero coefficient times a monomial.
struct Term {
  Monomial Factors;
  Rational Coefficient;
};

/// Why an expression has no value.
struct EvaluationError {
  enum class Kind { Unbound, DivisionByZero, TooExpensive, Undefined } Why;
  /// The unbound symbol, or the expression that fails, as text.
  std::string What;
};

/// Value of a symbol, or nothing where it is unbound.
using SymbolValues = std::function<std::optional<Rational>(const std::string &)>;
/// Replacements for symbols.
using Substitution = std::map<std::string, Expr, std::less<>>;

class Expr {
public:
  Expr() = default;
  /// A number.
  Expr(std::int64_t Value) : Expr(Rational(Value)) {}
  Expr(int Value) : Expr(Rational(Value)) {}
  explicit Expr(const Rational &Value);
  /// A single atom.
  explicit Expr(AtomRef Factor);
  /// A program's parameter or a named unknown.
  static Expr symbol(std::string Name);
  /// Sorts \p Summands, adds up equal monomials and drops zeros.
  static Expr fromTerms(std::vector<Term> Summands);

  /// The terms in normal form: sorted, without zeros; none for the number 0.
  std::span<const Term> terms() const {
    return Several ? std::span(*Several) : std::span(&Number, Number.Coefficient == 0 ? 0 : 1);
  }
  /// Whether the normal form is the number 0. An expression that is 0 for all values may have
  /// another form.
  bool isZero() const { return !Several && Number.Coefficient == 0; }
  /// Number of terms and factors, including those inside atoms: the cost of working with it.
  std::size_t size() const;
  /// The number, where the expression is one.
  std::optional<Rational> constant() const {
    return Several ? std::nullopt : std::optional(Number.Coefficient);
  }
  /// The atom, where the expression is one atom with coefficient and power 1.
  const Atom *asAtom() const;
  bool dependsOn(std::string_view Symbol) const;
  /// Adds every free symbol to \p Result.
  void collectSymbols(std::set<std::string> &Result) const;
  /// Whether \p Matches holds for the name of some free symbol.
  bool hasSymbol(const std::function<bool(const std::string &)> &Matches) const;
  /// Coefficients of the powers of \p Symbol, as a polynomial in it. Nothing where the symbol also
  /// appears inside another atom.
  std::optional<std::vector<Expr>> coefficientsOf(std::string_view Symbol) const;

  /// Replaces symbols simultaneously; the result is in normal form.
  Expr substitute(const Substitution &S) const;
  /// Exact value. Sums without a closed form are evaluated term by term, up to \p MaxSteps terms in
  /// all.
  std::expected<Rational, EvaluationError> evaluate(const SymbolValues &Values,
                                                    std::uint64_t MaxSteps = 20'000'000) const;

  /// Exact arithmetic in normal form.
  Expr &operator+=(const Expr &Other);
  Expr &operator-=(const Expr &Other);
  Expr &operator*=(const Expr &Other) { return *this = *this * Other; }
  friend Expr operator+(Expr Left, const Expr &Right) { return Left += Right; }
  friend Expr operator-(Expr Left, const Expr &Right) { return Left -= Right; }
  friend Expr operator*(const Expr &Left, const Expr &Right);
  Expr operator-() const;

  /// A total order on normal forms; 0 exactly where both are equal.
  static int compare(const Expr &Left, const Expr &Right);
  static int compareTerms(std::span<const Term> Left, std::span<const Term> Right);
  friend bool operator==(const Expr &Left, const Expr &Right) { return compare(Left, Right) == 0; }

private:
  /// Most expressions of a program with bound parameters are numbers, stored here. Others are
  /// shared, as they are copied far more often than changed.
  Term Number{};
  std::shared_ptr<const std::vector<Term>> Several;

  bool isNumber() const { return !Several; }
  /// From terms in normal form.
  static Expr ofSorted(std::vector<Term> Terms);
};

/// An indivisible factor of a monomial.
struct Atom {
  enum class Kind { Symbol, FloorDiv, Max, Min, Indicator, Sum, Power, Log };
  Kind What;
  /// The symbol, or the bound variable of a sum.
  std::string Name;
  /// FloorDiv: numerator, denominator. Max, Min: two or more. Indicator: e of
  /// [e >= 0]. Sum: first, last, summand. Power: base, exponent. Log: base, value.
  std::vector<Expr> Operands;
  std::size_t Size; ///< size of all operands plus 1
  std::size_t Hash; ///< the same for equal atoms

  /// Use the factory functions instead: they keep the normal form.
  Atom(Kind What, std::string Name, std::vector<Expr> Operands);
};

/// An atom with these parts. Equal ones that one thread makes are one object: what formulas have in
/// common is compared by its address, and not by its size, which may double with each operation.
AtomRef atomOf(Atom::Kind What, std::string Name, std::vector<Expr> Operands);

/// A total order on atoms; 0 exactly where both are equal.
int compareAtoms(const Atom &Left, const Atom &Right);
/// The error for the floor division \p Quotient with divisor 0.
EvaluationError divisionByZero(const Atom &Quotient);
/// The constant term of \p Value; 0 where there is none.
Rational constantTerm(const Expr &Value);
/// The terms except the constant one.
std::span<const Term> varyingTerms(const Expr &Value);
bool dependsOn(const Atom &Factor, std::string_view Symbol);

/// \p Base multiplied by itself; 1 for an exponent of 0.
Expr power(const Expr &Base, unsigned Exponent);
/// \p Base, at least 1, to an integer \p Exponent that is not negative wherever the power is
/// evaluated: an induction variable, a shift amount.
Expr power(const Expr &Base, const Expr &Exponent);
/// The power; nothing where it is undefined or has thousands of digits.
std::optional<Rational> powerOf(const Rational &Base, const Rational &Exponent);
/// The largest k with \p Base^k <= \p Value, for a base of 2 or more; -1 where
/// the value is below 1, so that k + 1 is always its number of digits.
Expr floorLog(const Expr &Base, const Expr &Value);
std::optional<Rational> logarithmOf(const Rational &Base, const Rational &Value);
/// Makes powers of one base one power; the product's order is lost.
void mergePowers(Monomial &Product);

/// Scale·Ratio^v + Rest for a variable v that is in none of the three.
struct PowerTerm {
  Expr Scale, Ratio, Rest;
};
/// \p Value in this form, if possible.
std::optional<PowerTerm> powerIn(const Expr &Value, std::string_view Variable);
/// The largest integer at most \p Numerator / \p Denominator.
Expr floorDiv(const Expr &Numerator, const Expr &Denominator);
/// The smallest integer at least \p Numerator / \p Denominator.
Expr ceilDiv(const Expr &Numerator, const Expr &Denominator);
/// Division that rounds toward zero, as C's `/` does.
Expr truncatingDiv(const Expr &Numerator, const Expr &Denominator);
Expr max(const Expr &Left, const Expr &Right);
Expr min(const Expr &Left, const Expr &Right);
/// 1 where \p Value >= 0, else 0.
Expr isNonNegative(const Expr &Value);
inline Expr isAtLeast(const Expr &Left, const Expr &Right) { return isNonNegative(Left - Right); }
Expr isEqual(const Expr &Left, const Expr &Right);
/// The negation of \p Condition, which is 1 or 0; one indicator becomes one indicator.
Expr negated(const Expr &Condition);
/// The sum of \p Summand over the integers \p First <= Variable <= \p Last, zero for an empty
/// range: in closed form where one of reasonable size is known, otherwise as a sum atom.
Expr sum(const std::string &Variable, const Expr &First, const Expr &Last, const Expr &Summand);

/// The largest integer for which \p Value is not negative; negative where there is none. \p Value
/// must provably decrease as \p Variable grows from zero.
std::optional<Expr> lastWhere(const Expr &Value, const std::string &Variable);

/// The atom of a term that is one atom, to the first power, times a number; else null.
const Atom *onlyFactor(const Term &T);
/// The least common multiple of the coefficients' denominators.
Rational commonDenominator(const Expr &Value);

/// Launch dimensions (`grid.x`, `block.y`) and the threads of a parallel region (`omp.threads`) are
/// at least 1 in every launch.
bool isLaunchDimension(std::string_view Symbol);
/// Shares, run counts, thread indices, and sizes of C++ containers.
bool isNeverNegative(std::string_view Symbol);
/// Symbols of unknowns have a source position or a function after an `@`; parameters, launch
/// dimensions and induction variables do not.
bool isUnknownSymbol(std::string_view Symbol);
bool restsOnUnknown(const Expr &Value);
/// Unknowns that are means of many runs and may be fractions; all other symbols are integers.
bool isMean(std::string_view Symbol);
/// Floating-point numbers that a program compares: `~alpha`. They only stand in conditions.
bool isReal(std::string_view Symbol);
bool hasReal(const Expr &Value);
/// The symbol of the floating-point number that the source calls \p Name.
std::string realSymbol(std::string_view Name);
/// \p Symbol as the source has it: `alpha`.
std::string_view symbolText(std::string_view Symbol);
/// Number of processes of a parallel program: at least 1.
inline constexpr std::string_view ProcessCount = "mpi.size";
/// A lower bound of the expression where one is evident: a launch dimension is at least 1; shares,
/// trip counts, run counts and thread indices are not negative.
std::optional<Rational> lowerBound(const Expr &Value);
/// An upper bound of the expression where one is evident.
std::optional<Rational> upperBound(const Expr &Value);

/// `[A-Za-z_][A-Za-z0-9_.]*` is printed as it is, any other symbol in backquotes.
std::string quoteSymbol(std::string_view Symbol);
/// The form that `parseExpr` reads back: `2*n^3+floor(n,4)*[-1+n]`.
std::string toText(const Expr &Value);
/// The form for people: `2·n³ + ⌊n/4⌋·[n ≥ 1]`.
std::string toPretty(const Expr &Value);

/// An equal expression with fewer conditions: n²·[n ≥ 2] - n·[n ≥ 2] + n·[n ≥ 1] is n²·[n ≥ 1],
/// since n² - n is zero where they differ.
Expr simplifyConditions(const Expr &Value);

/// A simpler expression with the same value wherever \p Condition, a product of indicators, is not
/// zero: drops what the condition implies.
Expr assuming(const Expr &Value, const Expr &Condition);

/// A product of one term and powers of polynomials.
struct Factored {
  Expr Rest;
  std::vector<std::pair<Expr, unsigned>> Factors;
};
/// \p Value of three or more terms as a product of one term and differences of a symbol and a small
/// number, if possible: 5·n² - 20·n + 20 = 5·(n - 2)².
std::optional<Factored> factor(const Expr &Value);

/// A formula for display: the conditions common to all terms are separate.
struct ConditionalFormula {
  Expr Formula;
  /// Each is of the form >= 0; the formula is zero where one does not hold.
  std::vector<Expr> Conditions;
};
/// Factors the indicators common to all terms out of \p Value.
ConditionalFormula splitConditions(const Expr &Value);
/// `n ≥ 1` for the condition n - 1 >= 0.
std::string prettyCondition(const Expr &NonNegative);
/// Where \p Conditions, a sum of indicators of integers, is zero: `n·m ≤ 4294967295, n ≥ 0`.
std::string prettyZero(const Expr &Conditions);

/// Parses the output of toText. Error: the text is no expression; its place is the character, and
/// it has no remedy.
std::expected<Expr, Error> parseExpr(std::string_view Text);

} // namespace ergon
