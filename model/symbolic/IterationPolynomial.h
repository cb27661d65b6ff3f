//===- IterationPolynomial.h - polynomials in iterations --------*- C++ -*-===//
//
// The summand during piecewise summation: a polynomial with rational coefficients in the induction
// variables t0, t1, … of the open sums, outermost first.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/Rational.h"

#include <array>
#include <span>
#include <utility>
#include <vector>

namespace ergon {

class IterationPolynomial {
public:
  static constexpr unsigned MaxVariables = 8;
  using Powers = std::array<std::uint8_t, MaxVariables>;

  IterationPolynomial() = default;
  /// A number.
  IterationPolynomial(const Rational &Number);
  /// The induction variable of the open sum \p Which, 0 for the outermost.
  static IterationPolynomial variable(unsigned Which);

  /// Monomials and their nonzero coefficients.
  std::span<const std::pair<Powers, Rational>> terms() const { return Terms; }
  /// Adds one monomial.
  void add(const Powers &P, const Rational &Coefficient);

  /// Number of variables, from the outermost on, that it may contain: 0 for a number.
  unsigned depth() const;
  /// The value where all induction variables are 0.
  Rational atOrigin() const;
  /// As a polynomial in one variable: the coefficient of each power, at least one.
  std::vector<IterationPolynomial> coefficientsOf(unsigned Variable) const;
  /// The least common multiple of the coefficients' denominators.
  Rational commonDenominator() const;
  /// Whether it is too expensive to work with, or its powers could overflow.
  bool isTooLarge() const;

  /// Exact arithmetic. isTooLarge() says when to stop.
  IterationPolynomial &operator+=(const IterationPolynomial &Other);
  IterationPolynomial &operator-=(const IterationPolynomial &Other);
  IterationPolynomial &operator*=(const Rational &Factor);
  friend IterationPolynomial operator+(IterationPolynomial Left, const IterationPolynomial &Right) {
    return Left += Right;
  }
  friend IterationPolynomial operator-(IterationPolynomial Left, const IterationPolynomial &Right) {
    return Left -= Right;
  }
  friend IterationPolynomial operator*(const IterationPolynomial &Left,
                                       const IterationPolynomial &Right);

private:
  std::vector<std::pair<Powers, Rational>> Terms; ///< sorted by powers, none zero
};

} // namespace ergon
