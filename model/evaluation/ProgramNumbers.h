//===- ProgramNumbers.h - a program's counts in numbers ---------*- C++ -*-===//
//
// A run of an entry with numbers for all symbols: a graph of calls. Functions are evaluated with
// their caller's numbers, once for each set of these, so a program has about as many nodes as
// functions, however many paths lead to them. Totals, slopes and the parts of a run follow from the
// nodes and from how often each is visited (docs/decisions/0033-large-programs.md).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/evaluation/LongSumNumbers.h"
#include "model/evaluation/ProgramSites.h"
#include "model/program/Program.h"

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
  /// Calls of functions that are active: followed as long as the numbers change, or left out as
  /// formulas have it.
  enum class Recursion { Followed, LeftOut };

  struct Number {
    Rational Value;
    Known How = Known::Exact;
  };
  /// What one visit of a node runs of its own: a block with its constant counts, or one class whose
  /// amount is a formula.
  struct Item {
    const Block *Of;
    const Loop *In;
    const Counts *PerRun;           ///< the block's, in the address spaces of this node
    std::optional<CostClass> Class; ///< its units are Times; else the block runs Times times
    const LineCost *Line;           ///< of the class; null: no line is known
    Number Times;
  };
  /// Calls of another node.
  struct Edge {
    std::size_t To, From; ///< a node, the item of this one with the call
    const Call *Site;
    Number Times;   ///< visits of that node in one visit of this one
    Rational Calls; ///< calls in one visit
  };
  enum class NodeKind { Host, Device, Kernel, Library, LibraryOnDevice };
  using Frame = std::vector<std::pair<std::string, Number>>;

private:
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

public:
  /// A function with values for what its formulas depend on. A visit is one call; where these
  /// values depend on induction variables of callers, all calls of that site in one visit of the
  /// caller; for a kernel a launch.
  struct Node {
    const Function *Which = nullptr;
    NodeKind What = NodeKind::Host;
    Frame Values{};
    std::vector<Item> Items{};
    std::vector<Edge> Edges{};
    /// In one visit.
    std::map<std::string, Number> OpenCalls{}, LibraryCalls{}, Wraps{};
    /// The first formula without a value: its cost is missing.
    std::optional<std::string> NotEvaluated{};

    bool isKernel() const { return What == NodeKind::Kernel || What == NodeKind::LibraryOnDevice; }
    /// What a kernel, or what a library does on the device, is called as a part of a run.
    const std::string &kernelName() const {
      return What == NodeKind::Kernel ? Which->Demangled : Which->Name;
    }

  private:
    friend class ProgramNumbers;
    std::vector<Influence> Influences{};
    std::vector<PassedSlope> Passed{};
    std::deque<Counts> InSpaces{}; ///< counts of blocks with generic accesses
    bool HasFailed = false;        ///< a formula of it or of a callee has no value
  };

  explicit ProgramNumbers(FunctionLookup Find, Recursion OfActive = Recursion::Followed)
      : Find(Find), OfActive(OfActive), Sites(std::move(Find)) {}

  /// Whether formulas of a program of this entry would be too large.
  bool isLarge(const Function &Entry) { return Sites.isLarge(Entry); }
  /// Symbols of the program of this entry that may have a value: its unknowns and globals.
  std::set<std::string> symbols(const Function &Entry);
  /// Values of the entry's symbols, all numbers; for all that follows.
  void bind(Substitution Values);

  /// Evaluates one run of \p Entry, a kernel's of one launch. Unknowns have their measured values,
  /// others the number that \p Of says.
  void evaluate(const Function &Entry, const Estimate &Of);
  /// The latest run: callees first, the entry last, which is visited once.
  const std::deque<Node> &nodes() const { return Nodes; }
  /// How often each node is visited in it.
  std::vector<Number> visits() const;
  /// The same, by the kernel that visits are part of; of the host by the empty name.
  std::vector<std::map<std::string, Number>> visitsByKernel() const;
  /// The counts of the latest run: numbers alone.
  Totals totals() const;
  Totals of(const Function &Entry, const Estimate &Of) {
    evaluate(Entry, Of);
    return totals();
  }
  /// What was estimated for it.
  const std::map<std::string, Unknown> &estimated() const { return Estimated; }
  /// Whether the latest run asked for an unknown before it came to a frame where that may be more:
  /// the next run knows.
  bool hasLargerLimits() const { return HasLargerLimits; }
  /// By how much the weighted sum of its counts grows with each estimated symbol: its slope at the
  /// estimates.
  std::map<std::string, double> slopes(const std::function<double(CostClass)> &Weight) const;

  /// \p Value, no longer than a double where it is estimated: short numbers are fast.
  static Rational roundedIf(Known How, Rational Value);
  /// A double, exactly.
  static Rational roundedToDouble(double Value);
  /// Whether \p Line is a part of a block's counts \p All, which on a device are those of known
  /// address spaces: of its lines only the instructions are known.
  static bool isPart(const LineCost &Line, const Counts &All);

private:
  FunctionLookup Find;
  Recursion OfActive;
  Substitution Bound;
  ProgramSites Sites;
  LongSumNumbers Sums;
  bool IsPrepared = false; ///< with these values
  const Estimate *Of = nullptr;
  std::unordered_map<std::string, Number> Globals; ///< symbols that mean the same everywhere
  std::map<std::string, Unknown> Estimated;
  SymbolLimits Limits;
  bool HasLargerLimits = false;
  std::deque<Node> Nodes;
  std::unordered_set<std::string> Names; ///< of symbols in slopes
  /// Numbers for symbols that stay symbols in sums: conditions on iterations are for integers.
  Substitution Fractions;
  std::map<std::pair<const Function *, std::string>, std::optional<std::size_t>> ByFrame;
  std::unordered_map<const Function *, std::vector<std::size_t>> ByFunction;
  std::unordered_map<const Function *, std::size_t> Active; ///< evaluations that have not ended
  std::size_t Depth = 0;

  static constexpr std::size_t MaxDepth = 300;
  /// A program with more is not followed into recursions.
  static constexpr std::size_t MaxNodesOfRecursion = 2'000;
  /// With estimates, one function's runs with other numbers are no better known.
  static constexpr std::size_t MaxEstimatedFrames = 16;

  struct Context;
  class Evaluation;
  /// \p Value in formulas that are summed: a symbol for a fraction.
  Expr inSums(const Rational &Value);
  std::optional<std::size_t> nodeOf(const Function &F, NodeKind What, Frame Values,
                                    const Context &In);
};

} // namespace ergon
