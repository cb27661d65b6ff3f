//===- SourceSnapshot.h - snapshots analyzed on a copy ----------*- C++ -*-===//
//
// The `source` snapshot: the front end's code, canonicalized on a copy so that the analysis
// understands it. It exists at any -O, without losing operations of the source to optimization.
// Also optimized functions with parallel regions, which are inlined back on a copy.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Function.h"
#include "passes/ir/CodeOrigins.h"
#include "passes/ir/LLVM.h"
#include "passes/ir/Probe.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/PassManager.h"

#include <vector>

namespace ergon {

/// Counts of the functions that \p M defines; \p M is unchanged.
std::vector<Function> sourceSnapshot(const llvm::Module &M, bool WithRemarks);

/// The same of code that is going to count: \p M itself is canonicalized, and keeps its variables
/// in registers. \p Wanted gives what a run is to count of a function.
std::vector<Function> sourceSnapshotInPlace(llvm::Module &M, llvm::ModuleAnalysisManager &AM,
                                            function_ref<CountRequest &(llvm::Function &)> Wanted);

/// A function, its unknowns, places and calls that a run can count, and where.
struct CountedParallel {
  std::string Name;
  std::vector<std::pair<std::string, CodeOrigins::Counter>> Unknowns = {};
  std::vector<std::pair<std::string, CodeOrigins::Place>> Places = {};
  std::vector<PointerCall> Calls = {};
};

/// Counts of the functions of \p M that start or run parallel regions, in the current IR. Adds
/// their names, and those of inlined functions, to \p Covered, and what a run is to count of them
/// to \p Counted, if given. \p M is unchanged.
std::vector<Function> parallelSnapshot(const llvm::Module &M, StringRef Snapshot,
                                       llvm::StringSet<> &Covered,
                                       std::vector<CountedParallel> *Counted);

} // namespace ergon
