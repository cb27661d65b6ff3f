//===- PointerCalls.h - calls through pointers are counted ------*- C++ -*-===//
//
// Each call through a pointer has a table of the functions that it met, and how often; the module
// has one of the functions whose addresses it takes, by which the runtime finds their names.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_ACCESS_POINTERCALLS_H
#define ERGON_PASSES_ACCESS_POINTERCALLS_H

#include "model/symbolic/Expr.h"
#include "passes/ir/Probe.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <vector>

namespace llvm {
class CallBase;
class CallGraph;
class Constant;
class Loop;
class Module;
} // namespace llvm

namespace ergon {

class SourceNames;

/// The integers among \p Arguments of \p Site that one formula does not give for each function that
/// it may call: they have none, or one that goes with a loop around, as what is called may do too.
llvm::SmallVector<unsigned, 2> argumentsInMean(const llvm::CallBase &Site,
                                               llvm::ArrayRef<std::optional<Expr>> Arguments,
                                               const llvm::Loop *Around, SourceNames &Names);

/// Counts what \p CallSite meets. The table's row, see `runtime/CounterTable.h`.
llvm::Constant *countTargets(const PointerCall &CallSite);

/// Once all calls are counted: the code that all of them share.
void finishTargets(llvm::Module &M);

/// The functions whose addresses \p M takes, with their names, as rows of the table.
std::vector<llvm::Constant *> targetRows(llvm::Module &M);

/// Adds to \p Calls that a call through a pointer may be of each function that is as its type says
/// and whose address the module takes.
void addPointerCalls(llvm::Module &M, llvm::CallGraph &Calls);

} // namespace ergon

#endif
