//===- SampledRuns.h - what loops do for many sizes -------------*- C++ -*-===//
//
// Whether a loop is ever long, and how far apart its accesses ever are, for sizes that a formula
// leaves open: the rest of a vector loop, or a matrix whose size the type has, is not worth a
// word. Values are drawn, small and large ones, always the same.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_LINT_SAMPLEDRUNS_H
#define ERGON_MODEL_LINT_SAMPLEDRUNS_H

#include "model/program/Function.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace ergon {

class SampledRuns {
public:
  /// Knows the largest values of the unknowns of \p F, where the compiler stated them.
  explicit SampledRuns(const Function &F);

  /// False where the innermost of the loops \p Around, outermost first, runs in some of the drawn
  /// cases and has fewer than \p Iterations in all of them.
  bool mayBeLong(std::span<const Loop *const> Around, double Iterations) const;

  /// The most bytes that any drawn case has between the first and the last place of \p Offset in
  /// the loops \p Around; infinite where that is not known.
  double farthest(const Expr &Offset, std::span<const Loop *const> Around) const;

private:
  /// Of unknowns of which the compiler knows it.
  std::map<std::string, std::uint64_t, std::less<>> Most;

  template <typename Visitor>
  void visitCases(std::span<const Loop *const> Around, bool AllEnds, Visitor Visit) const;
};

} // namespace ergon

#endif
