//===- FunctionCounters.h - the counters of one function --------*- C++ -*-===//
//
// Which numbers the unknowns of a function need, and the code that counts them.
//
// A counter is in a register as long as a loop runs that nothing can end but itself, and is
// added to memory where the loop ends.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_INSTRUMENT_FUNCTIONCOUNTERS_H
#define ERGON_PASSES_INSTRUMENT_FUNCTIONCOUNTERS_H

#include "passes/ir/FunctionAnalyses.h"
#include "passes/ir/Probe.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/PostDominators.h"

#include <optional>
#include <vector>

namespace llvm {
class GlobalVariable;
class Loop;
class SCEVExpander;
class ScalarEvolution;
} // namespace llvm

namespace ergon {

/// One number: how often control goes along some ways, or the sum of a value.
struct Counter {
  Edges Ways;
  Probe Sum; ///< only where it has a value
  /// It is the sum of these others, and needs no counting of its own.
  llvm::SmallVector<unsigned, 2> Parts = {};
  /// Whether both count the same; Parts do not matter.
  bool operator==(const Counter &Other) const {
    return Ways == Other.Ways && Sum.Value == Other.Sum.Value && Sum.Point == Other.Sum.Point &&
           Sum.Low == Other.Sum.Low && Sum.Bits == Other.Sum.Bits;
  }
};

/// The counters of one function.
class FunctionCounters {
public:
  /// Collects nothing yet; \p Analyses are those of the function.
  explicit FunctionCounters(const FunctionAnalyses &Analyses);

  /// The numbers of the counters whose ratio is the unknown's value; nothing where it cannot
  /// be counted.
  std::optional<std::pair<unsigned, unsigned>> request(const Probe &Wanted);
  /// Once all is requested: leaves out what others add up to.
  void reduce();
  /// The numbers that counter \p Number is the sum of.
  void collect(unsigned Number, llvm::SmallVectorImpl<unsigned> &Result) const;
  unsigned size() const { return unsigned(Counters.size()); }
  /// Puts the counting code in; the numbers are \p Array an array. The byte \p Alone is not 0 as
  /// long as the program has one thread.
  void insert(llvm::GlobalVariable &Array, llvm::GlobalVariable &Alone);

private:
  FunctionAnalyses Analyses;
  llvm::PostDominatorTree PDT; ///< of the function before it is changed
  llvm::Type *Number;
  std::vector<Counter> Counters;
  llvm::DenseMap<const llvm::Loop *, bool> Ending;

  unsigned numberOf(Counter Wanted);
  Edge sameAs(Edge Way) const;
  bool endsByItself(llvm::Loop &L);

  // How the counting code is made.
  llvm::DenseMap<Edge, llvm::BasicBlock *> Split;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::Instruction *> Firsts;

  /// So much is added to a counter each time that control gets here.
  struct Addition {
    llvm::Instruction *Before;
    unsigned Counter;
    llvm::Value *Amount;
  };
  Addition additionOn(const Edge &Way, unsigned Counter);
  llvm::Instruction *startOf(llvm::BasicBlock *Block);
  Addition additionOf(const Probe &Sum, unsigned Counter);
  void hoist(Addition &What, llvm::ScalarEvolution &SE, llvm::SCEVExpander &Expander);
  bool countAtEnd(const Addition &What, const llvm::Loop &L, llvm::ScalarEvolution &SE,
                  llvm::SmallVectorImpl<Addition> &Result);
  void addToMemory(llvm::Instruction *Before, llvm::ArrayRef<Addition> What,
                   llvm::GlobalVariable &Array, llvm::GlobalVariable &Alone);
};

} // namespace ergon

#endif
