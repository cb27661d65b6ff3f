//===- AccessPrinter.h - targets of accesses as text ------------*- C++ -*-===//
#ifndef ERGON_PASSES_ACCESS_ACCESSPRINTER_H
#define ERGON_PASSES_ACCESS_ACCESSPRINTER_H

#include "passes/ir/LLVM.h"

#include "llvm/IR/PassManager.h"

namespace ergon {

/// `print<ergon-accesses>`: the object and the offset that each load, store and atomic
/// operation of a function goes to, block by block, and the loop that it is in.
class AccessPrinterPass : public llvm::PassInfoMixin<AccessPrinterPass> {
public:
  /// Prints to \p Out.
  explicit AccessPrinterPass(raw_ostream &Out) : Out(Out) {}
  /// Prints the accesses of \p F; preserves all analyses.
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
  /// Functions with `optnone` are printed too.
  static bool isRequired() { return true; }

private:
  raw_ostream &Out;
};

} // namespace ergon

#endif
