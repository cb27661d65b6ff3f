//===- LoopTotals.h - counts of each loop of a function ---------*- C++ -*-===//
#pragma once

#include "model/program/Function.h"

#include <map>
#include <vector>

namespace ergon {

/// Counts of all runs of a loop in one run of its function, for each requested loop. Computes what
/// loops share, inner loops and runs of outer ones, only once.
class LoopTotals {
public:
  /// For the loops of \p Owner, which must outlive it.
  explicit LoopTotals(const Function &Owner);

  /// \p Region is the function's body or one of its loops.
  Counts of(const Loop &Region);

private:
  const Function &Owner;
  std::map<const Loop *, const Loop *> Around;
  std::map<const Loop *, Counts> Iterations;
  std::map<const Loop *, Expr> Runs;

  void addLoops(const Loop &Region);
  const Counts &oneIteration(const Loop &Region);
  bool restsOnLoopsAround(const Expr &Value, const Loop &Region) const;
  Expr timesAround(const Expr &PerRun, const Loop &Region);
  const Expr &runs(const Loop &Region);
};

} // namespace ergon
