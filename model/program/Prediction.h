//===- Prediction.h - what one run counts -----------------------*- C++ -*-===//
//
// A function's totals and values for its symbols become numbers.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_PROGRAM_PREDICTION_H
#define ERGON_MODEL_PROGRAM_PREDICTION_H

#include "model/program/Program.h"
#include "model/symbolic/ExprBounds.h"

#include <expected>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ergon {

/// What one part of a run counts: all launches of a kernel, or the host's own code.
struct PartValues {
  std::string Name;
  /// Nothing for the host, and where it rests on an unbound symbol.
  std::optional<Rational> Launches;
  /// As in CountValues.
  std::map<std::string, Rational> Values;
  std::map<std::string, Bounds> Ranges;
};

/// Exact counts of one run, by class key.
struct CountValues {
  /// Of the classes that rest on no unbound symbol: of none while a call is open.
  std::map<std::string, Rational> Values;
  /// Of the classes that rest on a symbol with an interval: where the value lies. The
  /// value itself is the one for the middle of each interval.
  std::map<std::string, Bounds> Ranges;
  std::map<std::string, Known> KnownAs;
  /// Symbols without a value that the counts depend on, and calls of unknown cost.
  std::vector<std::string> Unbound;
  /// The classes that have no value, and the symbols that each needs.
  std::map<std::string, std::set<std::string>> Needs;
  /// Calls that cost what their library's description says, and how often each
  /// runs: a formula where that rests on an unbound symbol.
  std::map<std::string, Expr> LibraryCalls;
  /// Where arithmetic wraps around with these values, so that no count is exact.
  std::vector<std::string> Wraps;
  /// `bytes_dram` is what the code requests, an upper bound of what moves.
  bool DramIsRequested = true;
  /// Of code that launches kernels: the host, then each kernel. They add up to Values. None
  /// while a call is open.
  std::vector<PartValues> Parts;
};

/// Evaluates \p T, whose bound symbols were put in already, but for those that are
/// \p Bounds two numbers. \p Free are open calls that cost nothing beyond being called.
/// `bytes_dram` is \p DramBytes where that is given, else the requested bytes: an
/// upper bound.
std::expected<CountValues, EvaluationError> evaluateCounts(const Totals &T,
                                                           const std::set<std::string> &Free,
                                                           const std::optional<Rational> &DramBytes,
                                                           const SymbolBounds &Bounds = {});

} // namespace ergon

#endif
