//===- FunctionCounters.h - the counters of one function --------*- C++ -*-===//
//
// Selects the counters that the unknowns of a function need, and generates their code.
// A counter is in a register during a loop that only its own exits can end, and is added to memory
// at the loop's end.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/ir/FunctionAnalyses.h"
#include "passes/ir/Probe.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/PostDominators.h"

#include <optional>
#include <vector>

namespace ergon {

/// A counter: of control on some edges, or the sum of a value.
struct Counter {
  Edges Ways;
  Probe Sum; ///< only where it has a value
  /// The counters whose sum it is; it then has no code of its own.
  SmallVector<unsigned, 2> Parts = {};
  /// Whether both count the same; ignores Parts.
  bool operator==(const Counter &Other) const {
    return Ways == Other.Ways && Sum.Value == Other.Sum.Value && Sum.Point == Other.Sum.Point &&
           Sum.Low == Other.Sum.Low && Sum.Bits == Other.Sum.Bits && Sum.Start == Other.Sum.Start;
  }
};

/// Whether something in \p Block may end the thread, throw or jump.
bool mayNotGoOn(const BasicBlock &Block);

/// Whether control on all of \p Ways can be counted.
bool isCountable(const Edges &Ways);

/// The counters of one function.
class FunctionCounters {
public:
  /// Collects nothing yet; \p Analyses are those of the function.
  explicit FunctionCounters(const FunctionAnalyses &Analyses);

  /// The two counters whose ratio is the unknown's value; nothing where it cannot be counted.
  std::optional<std::pair<unsigned, unsigned>> request(const Probe &Wanted);
  /// The counter of control on \p Ways; nothing where it cannot be counted.
  std::optional<unsigned> requestRuns(const Edges &Ways);
  /// After all requests: drops counters that are sums of others.
  void reduce();
  /// The numbers that counter \p Number is the sum of.
  void collect(unsigned Number, SmallVectorImpl<unsigned> &Result) const;
  unsigned size() const { return unsigned(Counters.size()); }
  /// Inserts the counting code, with counters in \p Array. The byte \p Alone is not 0 while the
  /// program has one thread.
  void insert(llvm::GlobalVariable &Array, llvm::GlobalVariable &Alone);

private:
  FunctionAnalyses Analyses;
  llvm::PostDominatorTree PDT;
  bool IsReducible; ///< it has no loops but those of LoopInfo
  llvm::Type *Number;
  std::vector<Counter> Counters;
  llvm::DenseMap<const llvm::Loop *, bool> Ending;

  unsigned numberOf(Counter Wanted);
  bool runsAsOften(const BasicBlock &Up, const BasicBlock &Block) const;
  Edge sameAs(Edge Way) const;
  bool endsByItself(llvm::Loop &L);

  // How the counting code is made.
  llvm::DenseMap<Edge, BasicBlock *> Split;
  llvm::DenseMap<const BasicBlock *, Instruction *> Firsts;

  /// The amount added to a counter each time that control gets here.
  struct Addition {
    Instruction *Before;
    unsigned Counter;
    llvm::Value *Amount;
  };
  Addition additionOn(const Edge &Way, unsigned Counter);
  Instruction *startOf(BasicBlock *Block);
  Addition additionOf(const Probe &Sum, unsigned Counter);
  const BasicBlock *sharedGuards(const BasicBlock *Block, const llvm::Loop &L,
                                 llvm::ScalarEvolution &SE, const llvm::SCEV *&Holds) const;
  void hoist(Addition &What, llvm::ScalarEvolution &SE, llvm::SCEVExpander &Expander);
  bool countAtEnd(const Addition &What, const llvm::Loop &L, llvm::ScalarEvolution &SE,
                  SmallVectorImpl<Addition> &Result);
  void addToMemory(Instruction *Before, ArrayRef<Addition> What, llvm::GlobalVariable &Array,
                   llvm::GlobalVariable &Alone);
};

} // namespace ergon
