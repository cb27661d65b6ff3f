//===- FormulaSteps.h - formulas in 64-bit integers -------------*- C++ -*-===//
//
// An expression as instructions of a stack machine on 64-bit integers, and the arithmetic of each.
// The caller chooses the operands: single values, or those of all lanes of a warp.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/Expr.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ergon {

struct FormulaSteps {
  enum class Op : std::uint8_t {
    Number,    ///< pushes its operand
    Variable,  ///< pushes the variable of this number
    Indicator, ///< pops one value and pushes one; all below pop two
    Add,
    Multiply,
    FloorDiv,
    Max,
    Min,
    Power,
    Log
  };
  struct Step {
    Op What;
    std::int64_t Operand = 0;
  };
  std::vector<Step> Steps;
  unsigned Depth = 0; ///< maximum stack depth

  /// \p E, rounded down, in \p Variables. Nothing where it has another symbol, a number beyond 64
  /// bits or a sum without a closed form.
  static std::optional<FormulaSteps> compile(const Expr &E, std::span<const std::string> Variables);
};

/// Wraps on overflow, as address arithmetic does.
inline std::int64_t wordSum(std::int64_t A, std::int64_t B) {
  return std::int64_t(std::uint64_t(A) + std::uint64_t(B));
}
inline std::int64_t wordProduct(std::int64_t A, std::int64_t B) {
  return std::int64_t(std::uint64_t(A) * std::uint64_t(B));
}
/// Rounded down. \p Factor is not 0, nor -1 where \p Value is the smallest value of the type.
template <class T> constexpr T floorQuotient(T Value, T Factor) {
  if (Factor == 1) // the common case
    return Value;
  return Value / Factor - T(Value % Factor != 0 && (Value < 0) != (Factor < 0));
}
/// Rounded down; 0 for a division by zero.
std::int64_t wordQuotient(std::int64_t A, std::int64_t B);
/// 0 for a negative exponent, which no run uses.
std::int64_t wordPower(std::int64_t Base, std::int64_t Exponent);
/// floorLog of Expr.h; -1 for a base below 2.
std::int64_t wordLogarithm(std::int64_t Base, std::int64_t Value);

} // namespace ergon
