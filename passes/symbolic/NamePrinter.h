//===- NamePrinter.h - names of a function as text --------------*- C++ -*-===//
#ifndef ERGON_PASSES_SYMBOLIC_NAMEPRINTER_H
#define ERGON_PASSES_SYMBOLIC_NAMEPRINTER_H

#include "passes/ir/LLVM.h"

#include "llvm/IR/PassManager.h"

namespace ergon {

/// `print<ergon-names>`: the source names of a function's arguments, loops and local variables, and
/// of memory that its loads find unchanged since entry.
class NamePrinterPass : public llvm::PassInfoMixin<NamePrinterPass> {
public:
  /// Prints to \p Out.
  explicit NamePrinterPass(raw_ostream &Out) : Out(Out) {}
  /// Prints the names of \p F; preserves all analyses.
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
  /// Functions with `optnone` are printed too.
  static bool isRequired() { return true; }

private:
  raw_ostream &Out;
};

} // namespace ergon

#endif
