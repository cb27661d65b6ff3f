//===- ExecutionCounts.h - how often code runs ------------------*- C++ -*-===//
//
// Trip counts of loops and runs of blocks, as expressions. Within one loop the
// control flow without back edges is a graph along which the runs of the header
// (one an iteration) flow: a branch on an affine condition splits them by an
// indicator, an unknown one by a named share. Where the ways join, the parts add
// up again by algebra.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_TRIPCOUNT_EXECUTIONCOUNTS_H
#define ERGON_PASSES_TRIPCOUNT_EXECUTIONCOUNTS_H

#include "passes/tripcount/LoopEnds.h"
#include "passes/tripcount/RunProfile.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <vector>

namespace llvm {
class BasicBlock;
class ICmpInst;
} // namespace llvm

namespace ergon {

/// Blocks of a loop (null: of the function, outside of loops) and how often each
/// runs in one iteration. Blocks that never run are not listed.
struct Region {
  const llvm::Loop *Loop = nullptr;
  Expr Entries = Expr(1), Last;
  /// How many of the blocks around come before it.
  std::size_t After = 0;
  Known TripsKnown = Known::Exact;
  std::vector<std::pair<const llvm::BasicBlock *, Expr>> Blocks;
  std::vector<Region> Loops;
};

class ExecutionCounts {
public:
  explicit ExecutionCounts(AnalysisContext &Context);

  /// \p ByBlock: each block has an unknown of its own, in one call of the function.
  Region compute(bool ByBlock);

private:
  AnalysisContext &Context;
  RunProfile Profile;
  std::vector<const llvm::BasicBlock *> Order; // reverse post-order
  /// Of each loop (null: of the function) the blocks that no inner loop has, and the headers of the
  /// loops directly inside, in that order.
  llvm::DenseMap<const llvm::Loop *, std::vector<const llvm::BasicBlock *>> Own;
  llvm::DenseSet<const llvm::BasicBlock *> Cold;
  LoopEnds Ends;

  /// What a block's runs may have: terms where they depend on unknowns, which nobody
  /// would bind one by one; else terms and factors as a polynomial, and in all.
  static constexpr std::size_t MaxUnknownTerms = 4, MaxPlainSize = 60, MaxSize = 2000;

  void findCold();
  Expr bounded(Expr Runs, const llvm::BasicBlock &B, const llvm::Loop *L);
  static Expr shortened(const Expr &Runs);
  const llvm::BasicBlock *partingBefore(const llvm::BasicBlock &B, const llvm::Loop *L) const;
  Region walk(const llvm::Loop *L, const Expr &Condition, std::vector<LoopExit> &Exits);
  /// Runs that are on their way to blocks not walked yet.
  struct Flow {
    llvm::DenseMap<const llvm::BasicBlock *, Expr> Runs; ///< of blocks that were walked
    /// What has come to the others so far, way by way: added up once, as a sum of many ways is
    /// long.
    llvm::DenseMap<const llvm::BasicBlock *, std::vector<Expr>> Arriving;
    llvm::DenseSet<const llvm::BasicBlock *> Pending;
    /// Some runs have left the region, or gone on to its next iteration.
    bool Leaked = false;

    void add(const llvm::BasicBlock *To, const Expr &Share) {
      Arriving[To].push_back(Share);
      Pending.insert(To);
    }
  };
  void leaveBlock(const llvm::BasicBlock &B, const Expr &Runs, const Region &R, Flow &Result,
                  std::vector<LoopExit> &Exits);
  std::vector<std::pair<const llvm::BasicBlock *, Expr>> shares(const llvm::BasicBlock &B,
                                                                const Expr &Runs, const Region &R);
  std::vector<std::pair<const llvm::BasicBlock *, Expr>>
  switchShares(const llvm::BasicBlock &B, llvm::ArrayRef<const llvm::BasicBlock *> Live,
               const Expr &Runs, const Region &R);
  void leaveLoop(const llvm::Loop &Inner, const Expr &Entries, std::vector<LoopExit> InnerExits,
                 const llvm::Loop *L, Flow &Result, std::vector<LoopExit> &Exits);
  Region blockByBlock(const char *Why);
};

} // namespace ergon

#endif
