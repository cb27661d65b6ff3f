//===- AnalysisContext.h - shared state of a function's analyses *- C++ -*-===//
//
// The state that the analyses of one function share: LLVM's analyses, source names, memory contents
// and the translation to formulas.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/ir/AddressSpaces.h"
#include "passes/ir/FunctionAnalyses.h"
#include "passes/symbolic/CalleeValues.h"
#include "passes/symbolic/ScevToExpr.h"
#include "passes/symbolic/SourceNames.h"
#include "passes/symbolic/StoredValues.h"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Function.h"

namespace ergon {

/// Valid until the function changes. Its parts refer to one another, so it cannot move.
struct AnalysisContext : FunctionAnalyses {
  /// \p Snapshot names the state of the IR: `source`, `algorithm` or `machine`.
  /// \p Callees, if not null, tells what calls leave in memory.
  AnalysisContext(llvm::Function &F, llvm::FunctionAnalysisManager &AM, StringRef Snapshot,
                  CalleeValues *Callees)
      : FunctionAnalyses(F, AM), Snapshot(Snapshot), IsDevice(isDevice(*F.getParent())),
        SE(makeScalarEvolution()), Names(*this), Memory(*this, /*AsWritten=*/Snapshot == "source"),
        Translate(SE, LI, DT, Memory, Names, Callees), Callees(Callees) {}
  AnalysisContext(const AnalysisContext &) = delete;
  AnalysisContext &operator=(const AnalysisContext &) = delete;

  StringRef Snapshot;
  bool IsDevice; ///< the function runs on a GPU
  llvm::ScalarEvolution SE;
  SourceNames Names;
  StoredValues Memory;
  ScevToExpr Translate;
  CalleeValues *Callees;
};

} // namespace ergon
