//===- LoopExits.h - in which iteration a loop is left ----------*- C++ -*-===//
//
// For each exit of a loop, the iteration in which its condition leaves. Scalar evolution handles
// variables with a known step; the model's inequalities handle steps that only the model knows to
// be positive, and variables that are multiplied.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/ExprRanges.h"
#include "passes/symbolic/AnalysisContext.h"

#include "llvm/IR/InstrTypes.h"

namespace ergon {

/// The iteration in which an exit is taken, unless another one is taken before. It may not exist:
/// `i == m` with m below the start never holds.
struct ExitTime : Occurrence {
  Known How = Known::Exact;
};

/// The earlier exit of two; nothing where that would be a long formula.
std::optional<ExitTime> firstOf(const ExitTime &Time, const ExitTime &Other);

class LoopExits {
public:
  explicit LoopExits(AnalysisContext &Context) : Context(Context) {}

  /// When \p L is left from \p From. Nothing where that depends on data, or where the exit is not
  /// tested exactly once per iteration.
  std::optional<ExitTime> timeOf(const llvm::Loop &L, const BasicBlock *From);

private:
  AnalysisContext &Context;

  /// The exit condition: a loop stays while Left Stays Right.
  struct Test {
    llvm::CmpInst::Predicate Stays;
    const llvm::SCEV *Left, *Right;
    bool IsOnly;
  };
  std::optional<ExitTime> translateCount(const llvm::SCEV *Count, const llvm::Loop *Scope);
  std::optional<ExitTime> byCondition(const llvm::Loop &L, const llvm::BranchInst &Exit,
                                      llvm::Value *Condition, bool StaysIfTrue, bool IsOnly,
                                      unsigned Depth = 0);
  Test inOrder(const Test &ExitTest, const llvm::Loop &L);
  std::optional<ExitTime> whenHolds(const llvm::Loop &L, llvm::Value *Condition, bool StaysIfTrue);
  std::optional<ExitTime> whenFlipped(const llvm::Loop &L, const llvm::ICmpInst &Compare);
  std::optional<Expr> distanceInOrder(const llvm::Loop &L, const Test &ExitTest);
  std::optional<ExitTime> whenMet(const llvm::Loop &L, const Test &ExitTest);
  std::optional<ExitTime> whenEqual(const llvm::Loop &L, const Test &ExitTest);
  std::optional<ExitTime> whenUnequal(const llvm::Loop &L, const Test &ExitTest);
  std::optional<ExitTime> whenOrdered(const llvm::Loop &L, const Test &ExitTest,
                                      bool AreNatural = false);
  static std::optional<ExitTime> whenExhausted(const Expr &Ahead, const std::string &Iteration,
                                               bool IsOnly);
  std::optional<Expr> difference(const llvm::SCEV *Left, const llvm::SCEV *Right,
                                 const llvm::Loop &L);
};

} // namespace ergon
