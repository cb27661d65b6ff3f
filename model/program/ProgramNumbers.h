//===- ProgramNumbers.h - a program's counts in numbers ---------*- C++ -*-===//
//
// Counts of large programs, whose formulas nobody would read: callees are evaluated with their
// caller's numbers, once for each set of arguments, and what their counts add up to follows from
// how often each is called. Formulas are made for sums over loops alone.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Program.h"
#include "model/program/ProgramSites.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ergon {

class ProgramNumbers {
public:
  /// A number for a symbol that nothing binds.
  using Estimate = std::function<Rational(const Unknown &)>;

  explicit ProgramNumbers(FunctionLookup Find) : Find(Find), Sites(std::move(Find)) {}

  /// Whether formulas of a program of this entry would be too large.
  bool isLarge(const Function &Entry) { return Sites.isLarge(Entry); }
  /// Symbols of the program that may have a value: its unknowns and globals.
  std::set<std::string> symbols() const;
  /// Values of the entry's symbols, all numbers; for all that follows.
  void bind(Substitution Values);

  /// The counts of one run of \p Entry: numbers alone. Unknowns have their measured values, others
  /// the number that \p Of says.
  Totals of(const Function &Entry, const Estimate &Of);
  /// What was estimated for the latest totals.
  const std::map<std::string, Unknown> &estimated() const { return Estimated; }
  /// By how much the weighted sum of the latest totals grows with each estimated symbol: its slope
  /// at the estimates.
  std::map<std::string, double> slopes(const std::function<double(CostClass)> &Weight) const;

private:
  struct Number {
    Rational Value;
    Known How = Known::Exact;
  };
  /// A block, or one class of it whose amount is a formula, and how often it runs.
  struct Item {
    const Block *Of;
    const Loop *In;
    std::optional<CostClass> Class;
    Expr Times;
    Known How;
  };
  struct Edge {
    std::size_t To, From; ///< a call's run, its block's item
    Number Times;
  };
  /// The items from Begin to End grow with the symbol: by this share of theirs for one more.
  struct Influence {
    const std::string *Symbol;
    std::size_t Begin, End;
    double Relative;
  };
  /// What a call passes grows with the symbol.
  struct PassedSlope {
    std::size_t By; ///< edge
    std::string Formal;
    const std::string *Symbol;
    double Slope;
  };
  using Frame = std::vector<std::pair<std::string, Number>>;
  /// One or more runs of a function with the same numbers.
  struct Node {
    const Function *Which;
    Frame Values;
    std::vector<Item> Items;
    std::vector<Edge> Edges;
    std::vector<Influence> Influences;
    std::vector<PassedSlope> Passed;
    std::map<std::string, Number> OpenCalls, LibraryCalls, Wraps;
    std::optional<Totals> OfLaunch;
  };
  /// A loop's iteration of those that are looked at.
  using Iteration = std::map<std::string, Rational, std::less<>>;

  FunctionLookup Find;
  Substitution Bound;
  ProgramSites Sites;
  bool IsPrepared = false; ///< with these values
  const Estimate *Of = nullptr;
  std::unordered_map<std::string, Number> Globals; ///< symbols that mean the same everywhere
  std::map<std::string, Unknown> Estimated;
  std::deque<Node> Nodes;                ///< callees first
  std::unordered_set<std::string> Names; ///< of symbols in slopes
  std::map<std::pair<const Function *, std::string>, std::optional<std::size_t>> ByFrame;
  std::unordered_map<const Function *, std::vector<std::size_t>> ByFunction;
  std::size_t Depth = 0;

  static constexpr std::size_t MaxDepth = 300;
  /// With estimates, one function's runs with other numbers are no better known.
  static constexpr std::size_t MaxEstimatedFrames = 16;

  std::optional<std::size_t> nodeOf(const Function &F, Frame Values);
  class Evaluation;
};

} // namespace ergon
