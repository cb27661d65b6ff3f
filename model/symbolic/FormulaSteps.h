//===- FormulaSteps.h - formulas in 64-bit integers -------------*- C++ -*-===//
//
// An expression as steps of a stack machine on 64-bit integers, and what one of its
// steps does to numbers. What the steps work on is the reader's: single values, or
// those of all lanes of a warp.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_SYMBOLIC_FORMULASTEPS_H
#define ERGON_MODEL_SYMBOLIC_FORMULASTEPS_H

#include "model/symbolic/Expr.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ergon {

struct FormulaSteps {
  enum class Op : std::uint8_t {
    Number,    ///< puts its operand on the stack
    Variable,  ///< puts the value of the variable of this number there
    Indicator, ///< takes one value and puts one; all below take two
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
  unsigned Depth = 0; ///< values on the stack at once, at most

  /// \p E, rounded down, in \p Variables. Nothing where it has another symbol, a number beyond
  /// 64 bits or a sum without a closed form.
  static std::optional<FormulaSteps> compile(const Expr &E, std::span<const std::string> Variables);
};

/// Overflow wraps, as in the code that computes addresses.
inline std::int64_t wordSum(std::int64_t A, std::int64_t B) {
  return std::int64_t(std::uint64_t(A) + std::uint64_t(B));
}
inline std::int64_t wordProduct(std::int64_t A, std::int64_t B) {
  return std::int64_t(std::uint64_t(A) * std::uint64_t(B));
}
/// Rounded down. \p Factor is not 0, nor -1 where \p Value is the least of all.
template <class T> constexpr T floorQuotient(T Value, T Factor) {
  if (Factor == 1) // as most are
    return Value;
  return Value / Factor - T(Value % Factor != 0 && (Value < 0) != (Factor < 0));
}
/// Rounded down; by zero it is 0.
std::int64_t wordQuotient(std::int64_t A, std::int64_t B);
/// A negative exponent, that no run asks for, gives 0.
std::int64_t wordPower(std::int64_t Base, std::int64_t Exponent);
/// floorLog of Expr.h; a base below 2, that has no logarithm, gives -1.
std::int64_t wordLogarithm(std::int64_t Base, std::int64_t Value);

} // namespace ergon

#endif
