//===- CallTree.h - a run as a graph of calls -------------------*- C++ -*-===//
//
// A run of an entry with numbers for all symbols: what each function itself does, with which
// arguments, and which calls it makes how often. Calls with equal arguments are one node, so a
// program has about as many nodes as functions, however many paths lead to them
// (docs/decisions/0029-top.md).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/CallFrames.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ergon {

/// Counts of a function's own code: of one of its loops, and one source line.
struct OwnCost {
  const Loop *Region;   ///< the function's body or a loop
  const LineCost *Line; ///< the place; its counts are of one run of a block. Null: no line is known
  ByClass<Rational> Counts; ///< of one visit of the node
  Known How = Known::Exact;
};

/// Calls of another node.
struct CalledNode {
  std::size_t Node;
  const Call *Site;
  const Loop *Region; ///< the loop that contains the call
  Rational Times;     ///< visits of that node in one visit of this one
  Rational Calls;     ///< calls in one visit
  Known How = Known::Exact;
};

/// A function with values for its parameters. A visit is one call; or, where arguments depend on
/// induction variables of callers, all calls of that site in one visit of the caller; for a kernel
/// one launch.
struct CallNode {
  enum class Kind { Host, Device, Kernel, Library, LibraryOnDevice };
  const Function *Code;
  Kind What;
  std::vector<OwnCost> Own;
  std::vector<CalledNode> Calls;
  /// Calls of unknown cost in one visit, by name (isOpenCall).
  std::map<std::string, Rational> OpenCalls;

  bool isKernel() const { return What == Kind::Kernel || What == Kind::LibraryOnDevice; }
};

/// The run. A node comes after those that it calls; the last one is the entry, which runs once.
struct CallTree {
  std::vector<CallNode> Nodes;
  /// Functions with a formula that has no value: a sum of too many terms, a symbol without a value.
  std::map<const Function *, std::string> NotEvaluated;

  std::size_t root() const { return Nodes.size() - 1; }
  /// How often each node is visited in the run.
  std::vector<Rational> visits() const;
  /// How well the number of visits of each node is known.
  std::vector<Known> visitsKnownAs() const;
  /// The loops around the code of each node's body that is in no loop of its own: for each, its
  /// share of the visits. Null: no loop.
  std::vector<std::map<const Loop *, Rational>> loopsAround() const;
};

/// What a call tree is evaluated with.
struct CallTreeValues {
  Substitution Bound;                ///< of symbols of the entry and of unknowns: numbers
  std::set<std::string> Estimated{}; ///< those of them that are estimates
};

/// The tree of \p Entry. Unknowns without a value have their measured one, if any. \p Find must
/// outlive the tree. A call of a function that is active already is an open call, as in
/// TotalsBuilder.
CallTree callTree(const Function &Entry, const FunctionLookup &Find, const CallTreeValues &Values);

} // namespace ergon
