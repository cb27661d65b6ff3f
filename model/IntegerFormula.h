//===- IntegerFormula.h - formulas evaluated many times ---------*- C++ -*-===//
//
// An expression compiled for evaluation in 64-bit integers at many points of an
// iteration space.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_INTEGERFORMULA_H
#define ERGON_MODEL_INTEGERFORMULA_H

#include "model/FormulaSteps.h"

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
};

class IntegerFormula {
public:
  /// \p Of in \p Variables, whose values are then given in this order. Nothing where it
  /// has another symbol, a number beyond 64 bits, a sum without a closed form, or is nested beyond
  /// reason.
  static std::optional<IntegerFormula> compile(const Expr &Of,
                                               std::span<const std::string> Variables);

  /// The value, rounded down; overflow wraps, a division by zero gives 0.
  std::int64_t operator()(std::span<const std::int64_t> Values) const;
  /// Set where the formula is affine in all variables with whole coefficients.
  const std::optional<AffineForm> &affine() const { return Affine; }

private:
  FormulaSteps Code;
  static constexpr unsigned MaxDepth = 62; ///< values on the stack at once
  std::optional<AffineForm> Affine;
};

} // namespace ergon

#endif
