//===- Expr.h - exact symbolic expressions ----------------------*- C++ -*-===//
//
// Counts, trip counts and offsets are expressions in a program's parameters:
// polynomials with rational coefficients over atoms. An atom is a symbol, a
// floor division, a maximum, a minimum, an indicator [e >= 0], a sum that has no
// closed form, a power c^e or a logarithm, rounded down. Expressions are values, always in one
// normal form, so that equal polynomials compare equal; nothing is rounded before evaluation.
//
// Every symbol stands for an integer, but for the means that are bound from
// outside: see isMean.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_SYMBOLIC_EXPR_H
#define ERGON_MODEL_SYMBOLIC_EXPR_H

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
using Monomial = std::vector<std::pair<AtomRef, unsigned>>;

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
/// What stands for a symbol.
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

  /// The summands in normal form: sorted, without zeros; none where it is 0.
  std::span<const Term> terms() const {
    return Several ? std::span(*Several) : std::span(&Number, Number.Coefficient == 0 ? 0 : 1);
  }
  /// Whether the normal form is the number 0. What differs from 0 for no value may have another
  /// form.
  bool isZero() const { return !Several && Number.Coefficient == 0; }
  /// Terms and factors, those inside of atoms too: what working with it costs.
  std::size_t size() const;
  /// The number, where the expression is one.
  std::optional<Rational> constant() const;
  /// The atom, where the expression is one atom with coefficient and power 1.
  const Atom *asAtom() const;
  bool dependsOn(std::string_view Symbol) const;
  /// Adds every free symbol to \p Result.
  void collectSymbols(std::set<std::string> &Result) const;
  /// Whether \p Matches holds for the name of some free symbol.
  bool hasSymbol(const std::function<bool(const std::string &)> &Matches) const;
  /// Powers of \p Symbol as a polynomial's variable: coefficient of each power.
  /// Nothing where the symbol also stands inside another atom.
  std::optional<std::vector<Expr>> coefficientsOf(std::string_view Symbol) const;

  /// With symbols replaced, all at the same time; in normal form again.
  Expr substitute(const Substitution &S) const;
  /// Exact value. Sums without a closed form are added up term by term, up to
  /// \p MaxSteps terms in all.
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

  /// A total order on normal forms; 0 exactly where two are the same.
  static int compare(const Expr &Left, const Expr &Right);
  static int compareTerms(std::span<const Term> Left, std::span<const Term> Right);
  friend bool operator==(const Expr &Left, const Expr &Right) { return compare(Left, Right) == 0; }

private:
  /// Most expressions of a program whose parameters have values are numbers: those
  /// stand here. Others are shared, as they are copied far more often than changed.
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
  std::size_t Size; ///< of the operands together, and 1

  /// Use the functions that make expressions: they keep the normal form.
  Atom(Kind What, std::string Name, std::vector<Expr> Operands);
};

/// A total order on atoms; 0 exactly where two are the same.
int compareAtoms(const Atom &Left, const Atom &Right);
/// What is wrong with the floor division \p Quotient where its divisor is 0.
EvaluationError divisionByZero(const Atom &Quotient);
/// The number in \p Value, where one stands beside its symbols; else 0.
Rational constantTerm(const Expr &Value);
/// The terms but for that number.
std::span<const Term> varyingTerms(const Expr &Value);
bool dependsOn(const Atom &Factor, std::string_view Symbol);

/// \p Base multiplied by itself; 1 for an exponent of 0.
Expr power(const Expr &Base, unsigned Exponent);
/// \p Base, at least 1, to an \p Exponent that is whole, and not negative wherever
/// the power is asked for: the number of a loop's iteration, a shift's width.
Expr power(const Expr &Base, const Expr &Exponent);
/// The number; nothing where there is none, or one of thousands of digits.
std::optional<Rational> powerOf(const Rational &Base, const Rational &Exponent);
/// The largest k with \p Base^k <= \p Value, for a base of 2 or more; -1 where
/// the value is below 1, so that k + 1 is always its number of digits.
Expr floorLog(const Expr &Base, const Expr &Value);
std::optional<Rational> logarithmOf(const Rational &Base, const Rational &Value);
/// Makes powers of one base one power; the product's order is lost.
void mergePowers(Monomial &Product);

/// Scale·Ratio^v + Rest for a variable v that stands in none of the three.
struct PowerTerm {
  Expr Scale, Ratio, Rest;
};
/// \p Value so written, where it is of this form.
std::optional<PowerTerm> powerIn(const Expr &Value, std::string_view Variable);
/// The largest integer not above \p Numerator / \p Denominator.
Expr floorDiv(const Expr &Numerator, const Expr &Denominator);
/// The smallest integer not below \p Numerator / \p Denominator.
Expr ceilDiv(const Expr &Numerator, const Expr &Denominator);
/// Division that rounds toward zero, as C's `/` does.
Expr truncatingDiv(const Expr &Numerator, const Expr &Denominator);
Expr max(const Expr &Left, const Expr &Right);
Expr min(const Expr &Left, const Expr &Right);
/// 1 where \p Value >= 0, else 0.
Expr isNonNegative(const Expr &Value);
inline Expr isAtLeast(const Expr &Left, const Expr &Right) { return isNonNegative(Left - Right); }
Expr isEqual(const Expr &Left, const Expr &Right);
/// 1 where \p Condition, that is 1 or 0, is 0: one indicator for one indicator.
Expr negated(const Expr &Condition);
/// The sum of \p Summand over the integers \p First <= Variable <= \p Last, zero
/// where there is none: in closed form where one of reasonable size is known, else
/// as a sum atom.
Expr sum(const std::string &Variable, const Expr &First, const Expr &Last, const Expr &Summand);

/// The largest whole number for which \p Value, that evidently falls as \p Variable
/// grows from zero on, is not negative; negative where there is none.
std::optional<Expr> lastWhere(const Expr &Value, const std::string &Variable);

/// The atom of a term that is one, to the first power, times a number; else null.
const Atom *onlyFactor(const Term &T);
/// The least common multiple of the coefficients' denominators.
mpz_class commonDenominator(const Expr &Value);

/// Launch dimensions (`grid.x`, `block.y`) and the threads of a parallel region
/// (`omp.threads`) are at least 1 whatever the launch.
bool isLaunchDimension(std::string_view Symbol);
/// Shares, runs, thread indices, and what the C++ library's containers say of their size.
bool isNeverNegative(std::string_view Symbol);
/// Symbols of unknowns have a source position or a function behind an `@`;
/// parameters, launch dimensions and iteration numbers have none.
bool isUnknownSymbol(std::string_view Symbol);
bool restsOnUnknown(const Expr &Value);
/// Unknowns that stand for the mean of many runs and may be fractions; all other
/// symbols are whole numbers.
bool isMean(std::string_view Symbol);
/// How many processes a parallel program has: at least 1.
inline constexpr std::string_view ProcessCount = "mpi.size";
/// A number that the expression is never below, where one is evident: a launch
/// dimension is at least 1, shares, trips, runs and thread indices are not negative.
std::optional<Rational> lowerBound(const Expr &Value);
/// A number that the expression is never above, where one is evident.
std::optional<Rational> upperBound(const Expr &Value);

/// `[A-Za-z_][A-Za-z0-9_.]*` stands as it is, any other symbol in backquotes.
std::string quoteSymbol(std::string_view Symbol);
/// The form that `parseExpr` reads back: `2*n^3+floor(n,4)*[-1+n]`.
std::string toText(const Expr &Value);
/// The form that a person would write: `2·n³ + ⌊n/4⌋·[n ≥ 1]`.
std::string toPretty(const Expr &Value);

/// The same value with fewer conditions: n²·[n ≥ 2] - n·[n ≥ 2] + n·[n ≥ 1] is
/// n²·[n ≥ 1], since n² - n is zero where they differ.
Expr simplifyConditions(const Expr &Value);

/// The same value wherever \p Condition, a product of indicators, is not zero, and
/// simpler: what holds there is not asked for again.
Expr assuming(const Expr &Value, const Expr &Condition);

/// A product of one term and of polynomials to powers.
struct Factored {
  Expr Rest;
  std::vector<std::pair<Expr, unsigned>> Factors;
};
/// \p Value of three or more terms as a product of one term and of differences of
/// a symbol and a small number, where it is one: 5·n² - 20·n + 20 = 5·(n - 2)².
std::optional<Factored> factor(const Expr &Value);

/// A formula as it is shown: the conditions that all of it hangs on, apart.
struct ConditionalFormula {
  Expr Formula;
  /// Each holds where it is >= 0; outside of them the formula is zero.
  std::vector<Expr> Conditions;
};
/// Takes the indicators that every term has out of \p Value.
ConditionalFormula splitConditions(const Expr &Value);
/// `n ≥ 1` for the condition n - 1 >= 0.
std::string prettyCondition(const Expr &NonNegative);
/// Where \p Conditions, a sum of indicators of whole numbers, is zero: `n·m ≤ 4294967295, n ≥ 0`.
std::string prettyZero(const Expr &Conditions);

/// Reads what toText writes. Error: the text is no expression; its place is the character, and it
/// has no remedy.
std::expected<Expr, Error> parseExpr(std::string_view Text);

} // namespace ergon

#endif
