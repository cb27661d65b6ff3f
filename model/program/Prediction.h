//===- Prediction.h - counts of one run -------------------------*- C++ -*-===//
//
// Evaluates a function's totals with values for its symbols.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Program.h"
#include "model/symbolic/ExprBounds.h"

#include <expected>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ergon {

/// The flops that a GPU executes, as a profiler counts them (Counts::executedFlops()).
struct ExecutedFlops {
  Rational Low;
  std::optional<Rational> High; ///< absent: a loop has no known end
};

/// Ranges of symbols that data decide.
struct OpenSymbols {
  SymbolBounds Between;
  /// Those of Between whose range has no end: its high one only stands for that.
  std::set<std::string> WithoutEnd;
};

/// What becomes of a sum of too many terms: no value, or one from some of the terms.
enum class LongSums { Open, Sampled };

/// The executed flops of device code with \p C; nothing where these depend on a symbol that is not
/// in \p Open, or on a sum that is too long.
std::optional<ExecutedFlops> executedFlops(const Counts &C, const OpenSymbols &Open = {},
                                           LongSums How = LongSums::Open);

/// The first launch of a kernel in a run, as FirstLaunch; nothing in the place of what depends on
/// an unbound symbol.
struct LaunchValues {
  SourceLocation Location;
  std::string Function;
  std::array<std::optional<Rational>, 3> Grid, Block;
  std::map<std::string, Rational> Values; ///< as in CountValues
  bool IsEstimated = false;               ///< a dimension depends on an estimate
  std::optional<ExecutedFlops> Executed = std::nullopt;
};

/// The counts of one part of a run: all launches of a kernel, or the host's own code.
struct PartValues {
  std::string Name;
  /// Nothing for the host, and where it depends on an unbound symbol.
  std::optional<Rational> Launches;
  /// As in CountValues.
  std::map<std::string, Rational> Values;
  std::map<std::string, Bounds> Ranges;
  std::optional<LaunchValues> First = std::nullopt; ///< of a kernel
};

/// Exact counts of one run, by class key.
struct CountValues {
  /// The classes that depend on no unbound symbol: none while a call is open.
  std::map<std::string, Rational> Values;
  /// The interval of each class that depends on a symbol with an interval. The value itself is the
  /// one for the middle of each interval.
  std::map<std::string, Bounds> Ranges;
  std::map<std::string, Known> KnownAs;
  /// Symbols without a value that the counts depend on, and calls of unknown cost.
  std::vector<std::string> Unbound;
  /// The classes that have no value, and the symbols that each needs.
  std::map<std::string, std::set<std::string>> Needs;
  /// Calls with counts from their library's description, and how often each runs: a formula where
  /// that depends on an unbound symbol.
  std::map<std::string, Expr> LibraryCalls;
  /// Calls of unknown cost that are declared free, and how often each runs. Those that never run
  /// are omitted.
  std::map<std::string, Expr> LeftOut;
  /// Where arithmetic wraps around with these values, so that no count is exact.
  std::vector<std::string> Wraps;
  /// A class is estimated from some of the terms of its sums.
  bool IsSampled = false;
  /// `bytes_dram` is what the code requests, an upper bound of the traffic.
  bool DramIsRequested = true;
  /// Of device code.
  std::optional<ExecutedFlops> Executed = std::nullopt;
  /// For code that launches kernels: the host, then each kernel. They add up to Values, but for
  /// what only kernels have: traffic and machine instructions. Empty while a call is open.
  std::vector<PartValues> Parts;
};

/// Evaluates \p T, whose bound symbols are substituted already, except those with two numbers in \p
/// Bounds. \p Free are open calls without cost beyond the call itself. `bytes_dram` is \p DramBytes
/// if given, otherwise the requested bytes: an upper bound. Sampled classes are Known::Estimated,
/// and their ranges are twice the standard error to both sides.
std::expected<CountValues, EvaluationError> evaluateCounts(const Totals &T,
                                                           const std::set<std::string> &Free,
                                                           const std::optional<Rational> &DramBytes,
                                                           const SymbolBounds &Bounds = {},
                                                           LongSums How = LongSums::Open);

/// The numbers of \p First; executed flops where \p Open are the symbols without a value.
LaunchValues evaluateLaunch(const FirstLaunch &First, const OpenSymbols &Open = {},
                            LongSums How = LongSums::Open);

} // namespace ergon
