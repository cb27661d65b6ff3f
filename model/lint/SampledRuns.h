//===- SampledRuns.h - loops at sampled sizes -------------------*- C++ -*-===//
//
// Whether a loop is ever long, and how far apart its accesses can be, for sizes that a formula
// leaves open: the remainder of a vector loop, or a matrix whose type fixes its size, needs no
// remark. Values are drawn deterministically, both small and large ones.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Function.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace ergon {

class SampledRuns {
public:
  /// Uses the maxima of the unknowns of \p F, where the compiler stated them.
  explicit SampledRuns(const Function &F);

  /// False where the innermost of the loops \p Around, outermost first, runs in some of the drawn
  /// cases and has fewer than \p Iterations in all of them.
  bool mayBeLong(std::span<const Loop *const> Around, double Iterations) const;

  /// The largest distance in bytes between the first and last address of \p Offset in the loops \p
  /// Around, over all drawn cases; infinite where unknown.
  double farthest(const Expr &Offset, std::span<const Loop *const> Around) const;

private:
  /// Maxima of unknowns known to the compiler.
  std::map<std::string, std::uint64_t, std::less<>> Most;

  template <typename Visitor>
  void visitCases(std::span<const Loop *const> Around, bool AllEnds, Visitor Visit) const;
};

} // namespace ergon
