//===- RunProfile.h - profile data of an earlier run ------------*- C++ -*-===//
//
// With -fprofile-use clang knows the branch frequencies. They replace unknown shares. Estimates
// (`__builtin_expect`, LLVM's own) are no profile: only a measured function has an entry count.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/Expr.h"
#include "passes/ir/LLVM.h"

namespace ergon {

class RunProfile {
public:
  /// Reads the profile of \p F; all arguments must outlive it.
  RunProfile(const llvm::Function &F, const llvm::LoopInfo &LI, const llvm::DominatorTree &DT);

  /// Among the runs of \p From that went on to one of \p Among, the share of each.
  std::vector<std::optional<Rational>> shares(const BasicBlock &From,
                                              ArrayRef<const BasicBlock *> Among) const;
  /// The same for \p To, one of them.
  std::optional<Rational> share(const BasicBlock &From, const BasicBlock &To,
                                ArrayRef<const BasicBlock *> Among) const;
  /// Mean runs of the header per entry of the loop.
  std::optional<Rational> trips(const llvm::Loop &L) const;
  /// The share of the exits of \p L that were taken from \p From.
  std::optional<Rational> leaves(const llvm::Loop &L, const BasicBlock &From) const;

private:
  const llvm::LoopInfo &LI;
  const llvm::DominatorTree &DT;
  bool IsMeasured;

  struct Leaving {
    Rational InOneIteration; ///< the share of header runs after which the loop is left
    Rational FromBlock;      ///< the share of these that leave from the queried block
  };
  std::optional<Leaving> leaving(const llvm::Loop &L, const BasicBlock *Exit) const;
};

} // namespace ergon
