//===- Program.h - totals over loops, calls and threads ---------*- C++ -*-===//
//
// Adds up what a function's code costs: over the iterations of its loops, over
// the functions that it calls, and, for a kernel, over the threads of a launch.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_PROGRAM_H
#define ERGON_MODEL_PROGRAM_H

#include "model/Function.h"

#include <functional>
#include <map>
#include <set>

namespace ergon {

/// The definition of a mangled name as seen from a function, or null.
using FunctionLookup = std::function<const Function *(const std::string &Callee,
                                                      const Function &Caller)>;

/// The cost of one run of a function, all that it calls included.
struct Totals {
  Counts Values;
  /// Symbols that stand for unknowns and that a class's count rests on.
  std::map<CostClass, std::set<std::string>> Rests;
  /// The weakest way in which each class is known.
  std::map<CostClass, Known> KnownAs;
  /// Calls whose cost is not in the values, and how often each runs.
  std::map<std::string, Expr> OpenCalls;
};

class TotalsBuilder {
public:
  /// \p Bound are values put for symbols before anything is summed.
  explicit TotalsBuilder(FunctionLookup Find, Substitution Bound = {})
      : Find(std::move(Find)), Bound(std::move(Bound)) {}

  /// Totals of \p Entry; for a kernel, summed over the threads of a launch.
  Totals of(const Function &Entry);
  /// Totals of one call of \p Which; of one thread, for device code.
  const Totals &ofOneThread(const Function &Which);

private:
  /// Something that happens `Times` times, each time with cost `Each`.
  struct Item {
    Expr Times;
    Counts Each;
    std::set<std::string> Rests;
    Known How = Known::Exact;
    std::string OpenCall; // not empty: an open call rather than a cost
  };

  FunctionLookup Find;
  Substitution Bound;
  std::map<const Function *, Totals> Done;
  std::set<const Function *> Active;

  std::vector<Item> itemsOf(const Loop &Region, const Function &Owner);
  void addCall(const Call &Site, const Block &Where, const Function &Owner,
               std::vector<Item> &Into);
  Expr bind(const Expr &Formula) const { return Formula.substitute(Bound); }
};

/// Sums \p PerThread over the threads of a launch: over `blockIdx.*` in the grid
/// and `threadIdx.*` in the block.
Expr sumOverThreads(const Expr &PerThread, const Substitution &Bound);

/// The totals of one loop of \p Owner for one run of the function, calls apart.
Counts totalsOfLoop(const Function &Owner, const Loop &Region);

} // namespace ergon

#endif
