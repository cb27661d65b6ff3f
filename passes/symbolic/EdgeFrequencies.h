//===- EdgeFrequencies.h - LLVM's estimates of control flow -----*- C++ -*-===//
//
// Estimates for unknown shares and trip counts: LLVM's branch probabilities (heuristics, or weights
// of `__builtin_expect` and of a profile) and the block frequencies that follow from them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/Rational.h"
#include "passes/ir/FunctionAnalyses.h"
#include "passes/ir/Probe.h"

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"

#include <optional>

namespace ergon {

/// Computed on the first query: most functions have no unknowns. It is separate from the pipeline's
/// own, as a cached analysis could change what later passes do.
class EdgeFrequencies {
public:
  /// Of the function of \p Analyses, which must outlive it.
  explicit EdgeFrequencies(const FunctionAnalyses &Analyses) : Analyses(Analyses) {}

  /// How often control goes along the edges of the probe's numerator, for each time that it goes
  /// along one of the denominator, to two digits. Nothing for a probe without edges.
  std::optional<Rational> ratio(const Probe &Counted);

private:
  const FunctionAnalyses &Analyses;
  std::optional<llvm::BranchProbabilityInfo> Probabilities;
  std::optional<llvm::BlockFrequencyInfo> Frequencies;

  double along(const Edges &Of) const;
};

} // namespace ergon
