//===- RunProfile.h - what an earlier run has measured ----------*- C++ -*-===//
//
// With -fprofile-use clang knows how often branches went which way. Where no
// formula tells, these shares do. Guesses (`__builtin_expect`, LLVM's own) are no
// profile: a function that a run has counted has an entry count.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_TRIPCOUNT_RUNPROFILE_H
#define ERGON_PASSES_TRIPCOUNT_RUNPROFILE_H

#include "model/symbolic/Expr.h"

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class BasicBlock;
class DominatorTree;
class Function;
class Loop;
class LoopInfo;
} // namespace llvm

namespace ergon {

class RunProfile {
public:
  /// Reads the profile of \p F; all arguments must outlive it.
  RunProfile(const llvm::Function &F, const llvm::LoopInfo &LI, const llvm::DominatorTree &DT);

  /// Of those runs of \p From that went on to one of \p Among, the share that went on to each.
  std::vector<std::optional<Rational>> shares(const llvm::BasicBlock &From,
                                              llvm::ArrayRef<const llvm::BasicBlock *> Among) const;
  /// The same of \p To, one of them.
  std::optional<Rational> share(const llvm::BasicBlock &From, const llvm::BasicBlock &To,
                                llvm::ArrayRef<const llvm::BasicBlock *> Among) const;
  /// The mean runs of the header each time the loop was entered.
  std::optional<Rational> trips(const llvm::Loop &L) const;
  /// The share of the times that \p L was left in which it was left from \p From.
  std::optional<Rational> leaves(const llvm::Loop &L, const llvm::BasicBlock &From) const;

private:
  const llvm::LoopInfo &LI;
  const llvm::DominatorTree &DT;
  bool IsMeasured;

  struct Leaving {
    Rational InOneIteration; ///< the share of the header's runs after which the loop is left
    Rational FromBlock;      ///< the share of those that leave from the block asked for
  };
  std::optional<Leaving> leaving(const llvm::Loop &L, const llvm::BasicBlock *Exit) const;
};

} // namespace ergon

#endif
