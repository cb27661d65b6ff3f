//===- TripCountPrinter.h - trip counts as text -----------------*- C++ -*-===//
#ifndef ERGON_PASSES_TRIPCOUNT_TRIPCOUNTPRINTER_H
#define ERGON_PASSES_TRIPCOUNT_TRIPCOUNTPRINTER_H

#include "passes/ir/LLVM.h"

#include "llvm/IR/PassManager.h"

namespace ergon {

/// `print<ergon-trip-counts>`: how often each loop of a function is entered, the number of
/// its last iteration, and how often each block runs in one iteration.
class TripCountPrinterPass : public llvm::PassInfoMixin<TripCountPrinterPass> {
public:
  /// Prints to \p Out.
  explicit TripCountPrinterPass(raw_ostream &Out) : Out(Out) {}
  /// Prints the trip counts of \p F; preserves all analyses.
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
  /// Functions with `optnone` are printed too.
  static bool isRequired() { return true; }

private:
  raw_ostream &Out;
};

} // namespace ergon

#endif
