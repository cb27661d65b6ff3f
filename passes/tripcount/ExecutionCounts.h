//===- ExecutionCounts.h - execution counts of code -------------*- C++ -*-===//
//
// Trip counts of loops and execution counts of blocks, as expressions. Within one loop the control
// flow without back edges is a DAG through which the runs of the header (one per iteration) flow: a
// branch on an affine condition splits them by an indicator, an unknown one by a named share. Where
// paths join, the parts are added and simplified.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/tripcount/LoopEnds.h"
#include "passes/tripcount/RunProfile.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <array>
#include <vector>

namespace ergon {

/// Blocks of a loop (null: of the function, outside loops) and how often each runs per iteration.
/// Blocks that never run are omitted.
struct Region {
  const llvm::Loop *Loop = nullptr;
  Expr Entries = Expr(1), Last;
  /// How many of the blocks around come before it.
  std::size_t After = 0;
  Known TripsKnown = Known::Exact;
  std::vector<std::pair<const BasicBlock *, Expr>> Blocks;
  std::vector<Region> Loops;
};

class ExecutionCounts {
public:
  explicit ExecutionCounts(AnalysisContext &Context);

  /// \p ByBlock: each block's count is an unknown, per call of the function.
  Region compute(bool ByBlock);

private:
  AnalysisContext &Context;
  RunProfile Profile;
  std::vector<const BasicBlock *> Order; // reverse post-order
  /// For each loop (null: the function) its blocks outside inner loops, and the headers of the
  /// loops directly inside, in that order.
  llvm::DenseMap<const llvm::Loop *, std::vector<const BasicBlock *>> Own;
  llvm::DenseSet<const BasicBlock *> Cold;
  LoopEnds Ends;

  /// Size limits of a block's count: terms where it depends on unknowns without a formula, which
  /// people would have to bind one by one; otherwise terms and factors as a polynomial, and in all.
  static constexpr std::size_t MaxUnknownTerms = 4, MaxPlainSize = 60, MaxSize = 8000;

  bool mayReturn() const;
  void findCold();
  Expr bounded(Expr Runs, const BasicBlock &B, const llvm::Loop *L);
  static Expr shortened(const Expr &Runs);
  const BasicBlock *partingBefore(const BasicBlock &B, const llvm::Loop *L) const;
  Region walk(const llvm::Loop *L, const Expr &Condition, std::vector<LoopExit> &Exits);
  /// Runs on edges to blocks that were not visited yet.
  struct Flow {
    llvm::DenseMap<const BasicBlock *, Expr> Runs; ///< of visited blocks
    /// Incoming runs of the others, edge by edge; added up once, as long sums are slow.
    llvm::DenseMap<const BasicBlock *, std::vector<Expr>> Arriving;
    llvm::DenseSet<const BasicBlock *> Pending;
    /// Whether some runs have left the region or reached its next iteration.
    bool Leaked = false;

    void add(const BasicBlock *To, const Expr &Share) {
      Arriving[To].push_back(Share);
      Pending.insert(To);
    }
  };
  void leaveBlock(const BasicBlock &B, const Expr &Runs, const Region &R, Flow &Result,
                  std::vector<LoopExit> &Exits);
  std::vector<std::pair<const BasicBlock *, Expr>> shares(const BasicBlock &B, const Expr &Runs,
                                                          const Region &R);
  std::optional<Expr> usualCondition(llvm::Value &Condition, const Region &R);
  std::vector<std::pair<const BasicBlock *, Expr>>
  unknownShares(const llvm::BranchInst &Branch, std::array<const BasicBlock *, 2> Live,
                const Expr &Runs, const Region &R);
  std::vector<std::pair<const BasicBlock *, Expr>> switchShares(const BasicBlock &B,
                                                                ArrayRef<const BasicBlock *> Live,
                                                                const Expr &Runs, const Region &R);
  void leaveLoop(const llvm::Loop &Inner, const Expr &Entries, std::vector<LoopExit> InnerExits,
                 const llvm::Loop *L, Flow &Result, std::vector<LoopExit> &Exits);
  Region blockByBlock(const char *Why);
};

/// `print<ergon-trip-counts>`: how often each loop of a function is entered, the number of
/// its last iteration, and how often each block runs in one iteration.
void printTripCounts(llvm::Function &F, llvm::FunctionAnalysisManager &AM, raw_ostream &Out);

} // namespace ergon
