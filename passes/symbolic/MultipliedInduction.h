//===- MultipliedInduction.h - multiplied induction variables ---*- C++ -*-===//
//
// Scalar evolution has additive recurrences only. This finds loops that multiply or divide their
// variable: `i *= 2`, `s >>= 1`, `p = 2 * p + 1`, `c = (c - 1) / 2`.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/Expr.h"
#include "passes/ir/LLVM.h"

#include <optional>

namespace ergon {

/// A header phi that becomes factor·x + added, or (x + added) / factor rounded down, in each
/// iteration. The factor is at least 2.
struct MultipliedInduction {
  llvm::Value *Start;
  Rational Factor, Added;
  bool Divides;
  /// Whether the division is unsigned.
  bool IsUnsigned;

  /// The variable in iteration \p K where it starts as \p Initial.
  Expr value(const Expr &K, const Expr &Initial) const;
};

/// The factor and summand by which \p Phi, in the header of \p L, changes in each iteration.
/// Nothing where it changes in another way.
std::optional<MultipliedInduction> multipliedInduction(llvm::PHINode &Phi, const llvm::Loop &L,
                                                       llvm::ScalarEvolution &SE);

} // namespace ergon
