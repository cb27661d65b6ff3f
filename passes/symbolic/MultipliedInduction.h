//===- MultipliedInduction.h - variables that grow by factors ---*- C++ -*-===//
//
// Scalar evolution has recurrences that add. A loop that doubles its variable or
// halves it, `i *= 2`, `s >>= 1`, `p = 2 * p + 1`, `c = (c - 1) / 2`, is found here.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_SYMBOLIC_MULTIPLIEDINDUCTION_H
#define ERGON_PASSES_SYMBOLIC_MULTIPLIEDINDUCTION_H

#include "model/symbolic/Expr.h"

#include <optional>

namespace llvm {
class Loop;
class PHINode;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace ergon {

/// A header phi that becomes factor·x + added, or (x + added) / factor rounded
/// down, from one iteration to the next. The factor is 2 or more.
struct MultipliedInduction {
  llvm::Value *Start;
  mpz_class Factor, Added;
  bool Divides;
  /// It is divided as an unsigned number; else as a signed one.
  bool IsUnsigned;

  /// The variable in iteration \p K where it starts as \p Initial.
  Expr value(const Expr &K, const Expr &Initial) const;
};

/// The factor and summand by which \p Phi, in the header of \p L, changes in each iteration.
/// Nothing where it changes in another way.
std::optional<MultipliedInduction> multipliedInduction(llvm::PHINode &Phi, const llvm::Loop &L,
                                                       llvm::ScalarEvolution &SE);

} // namespace ergon

#endif
