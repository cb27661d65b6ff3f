//===- FunctionPrinter.h - passes that print a function ---------*- C++ -*-===//
#pragma once

#include "passes/ir/LLVM.h"

#include "llvm/IR/PassManager.h"

namespace ergon {

/// A pass `print<ergon-…>`: \p Print writes what it shows of a function.
template <void (*Print)(llvm::Function &, llvm::FunctionAnalysisManager &, raw_ostream &)>
class FunctionPrinter : public llvm::PassInfoMixin<FunctionPrinter<Print>> {
public:
  /// Prints to \p Out.
  explicit FunctionPrinter(raw_ostream &Out) : Out(Out) {}
  /// Prints \p F; preserves all analyses.
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM) {
    Print(F, AM, Out);
    return llvm::PreservedAnalyses::all();
  }
  /// Functions with `optnone` are printed too.
  static bool isRequired() { return true; }

private:
  raw_ostream &Out;
};

} // namespace ergon
