//===- LoopEnds.h - trip counts and exits of loops --------------*- C++ -*-===//
//
// A loop ends by its earliest exit. Where each exit's iteration is known, so are the last iteration
// and the exit. A data-dependent exit has two unknowns: `trips@` for the loop, and `taken@` for the
// share of its runs that end there. Everything else follows from these, also in outer loops that
// the exit leaves.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/tripcount/LoopExits.h"
#include "passes/tripcount/RunProfile.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <vector>

namespace ergon {

/// An edge that leaves a loop, and how often it is taken per iteration if that iteration was not
/// known before.
struct LoopExit {
  const BasicBlock *From, *To;
  Expr Runs = Expr();
};

/// The sum of \p Parts, in the time of sorting their terms.
Expr sumOf(const std::vector<Expr> &Parts);

class LoopEnds {
public:
  /// \p Order: the function's blocks in reverse post-order; no run that returns executes a \p Cold
  /// one.
  LoopEnds(AnalysisContext &Context, const RunProfile &Profile,
           const std::vector<const BasicBlock *> &Order,
           const llvm::DenseSet<const BasicBlock *> &Cold)
      : Context(Context), Profile(Profile), Order(Order), Cold(Cold), Exits(Context) {}

  /// Finds for all loops when the exits that they test themselves are taken.
  void count();
  /// Before the blocks of \p L are visited, which is entered \p Entries times per iteration around
  /// it, at most once if \p IsPlain, and only under \p Condition.
  void enter(const llvm::Loop &L, const Expr &Entries, const Expr &Condition, bool IsPlain);
  /// After that: exits from inner loops and under conditions.
  void settle(const llvm::Loop &L, const Expr &Condition, ArrayRef<LoopExit> Leaving);

  /// The number of the last iteration.
  struct Trips {
    Expr Last;
    Known How = Known::Exact;
  };
  /// The last iteration of \p L, one of the function's loops.
  const Trips &trips(const llvm::Loop &L) const { return Loops.find(&L)->second.Count; }
  /// The block that enters or skips a loop on a condition without a formula, where such a condition
  /// also ends the loop: the means cover all runs that reach it. Otherwise null. Known once the
  /// loop is entered.
  const BasicBlock *openGuard(const llvm::Loop &L) const { return Loops.find(&L)->second.Guard; }
  const ExitTime *timeOf(const llvm::Loop &L, const BasicBlock &From) const;
  /// 1 in the iteration in which the exit at \p From is taken, unless an earlier one is, else 0;
  /// nothing where that is unknown.
  std::optional<Expr> leavesIn(const llvm::Loop &L, const BasicBlock &From) const;
  /// How often the edge is taken per iteration of a data-dependent loop: its share of the loop's
  /// runs, in the last iteration. Nothing for other loops.
  std::optional<Expr> leavesAtEnd(const llvm::Loop &L, const BasicBlock &From,
                                  const BasicBlock &To) const;
  /// The share of the loop's runs that end by \p Exit, one of its \p All; nothing where that is
  /// unknown.
  std::optional<Expr> share(const llvm::Loop &L, const LoopExit &Exit,
                            ArrayRef<LoopExit> All) const;
  Expr unknownShare(const llvm::Loop &L, const Edge &Exit) const;

private:
  AnalysisContext &Context;
  const RunProfile &Profile;
  const std::vector<const BasicBlock *> &Order;
  const llvm::DenseSet<const BasicBlock *> &Cold;
  LoopExits Exits;

  struct State {
    Trips Count;
    Expr Happens = Expr(1); ///< 1 where one of the exits is taken, else 0
    Expr Entries;
    /// Needs an exit time that is known only after the loop's blocks are visited.
    bool IsPending = false;
    /// Whether an exit depends on data.
    bool IsOpen = false;
    const BasicBlock *Guard = nullptr; ///< see openGuard
    SmallVector<Edge, 4> Edges;        ///< exit edges in block order
    llvm::DenseMap<const BasicBlock *, ExitTime> Times;
    llvm::DenseMap<Edge, Expr> Shares; ///< for an open loop
  };
  llvm::DenseMap<const llvm::Loop *, State> Loops;
  llvm::DenseMap<const BasicBlock *, unsigned> Position; ///< in `Order`

  void findExits(const llvm::Loop &L, State &LoopState);
  void findTimes(const llvm::Loop &L, State &LoopState);
  void conclude(const llvm::Loop &L, State &LoopState);
  void mustEnd(const llvm::Loop &L, const State &LoopState, const Expr &Condition);
  static bool ordinarilyGoesOn(const llvm::Loop &L, const State &LoopState);
  std::optional<Expr> mostIterations(const llvm::Loop &L) const;
  bool isSameAround(const llvm::Loop &L, const Expr &Value) const;
  Trips unknownTrips(const llvm::Loop &L, const State &LoopState, const std::string &Why);
  void findShares(const llvm::Loop &L, State &LoopState, bool IsPlain);
  const BasicBlock *findGuard(const llvm::Loop &L) const;
  bool hangsOnData(const llvm::Loop &L, const BasicBlock *From) const;
  std::optional<Ways> waysOut(const llvm::Loop &Inner, const BasicBlock *From) const;
  Expr atEnd(const llvm::Loop &L) const;
  static std::optional<Expr> timedShare(const State &LoopState, const LoopExit &Exit,
                                        ArrayRef<LoopExit> All);
};

} // namespace ergon
