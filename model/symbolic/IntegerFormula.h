//===- IntegerFormula.h - compiled integer formulas -------------*- C++ -*-===//
//
// An expression compiled for evaluation in 64-bit integers at many points of an
// iteration space.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/FormulaSteps.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ergon {

/// Constant + Σ Steps[i]·Variables[i].
struct AffineForm {
  std::int64_t Constant = 0;
  std::vector<std::int64_t> Steps;
  bool operator==(const AffineForm &) const = default;
};

/// q with 0 <= Numerator - Divisor·q < Divisor; the numerator is in the variables and the quotients
/// before this one.
struct QuotientForm {
  AffineForm Numerator;
  std::int64_t Divisor;
  bool operator==(const QuotientForm &) const = default;
};

/// Affine in the variables and in quotients, whose coefficients follow those of the variables.
struct QuasiAffineForm {
  AffineForm Sum;
  std::vector<QuotientForm> Quotients;
};

class IntegerFormula {
public:
  /// \p E in \p Variables, whose values are given in this order. Nothing where it has another
  /// symbol, a number beyond 64 bits, a sum without a closed form, or too deep a nesting.
  static std::optional<IntegerFormula> compile(const Expr &E,
                                               std::span<const std::string> Variables);

  /// The value, rounded down; overflow wraps, a division by zero gives 0.
  std::int64_t operator()(std::span<const std::int64_t> Values) const;
  /// Number of operations of an evaluation.
  std::size_t size() const { return Affine ? Affine->Steps.size() + 1 : Code.Steps.size(); }
  /// Set where the formula is affine in all variables with integer coefficients.
  const std::optional<AffineForm> &affine() const { return Affine; }
  /// Set where it is affine in the variables and in quotients by positive numbers, `8·floor(i, 2)`.
  const std::optional<QuasiAffineForm> &quasiAffine() const { return QuasiAffine; }

private:
  FormulaSteps Code;
  static constexpr unsigned MaxDepth = 62; ///< maximum stack depth
  std::optional<AffineForm> Affine;
  std::optional<QuasiAffineForm> QuasiAffine;
};

} // namespace ergon
