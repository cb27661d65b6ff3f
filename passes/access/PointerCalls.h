//===- PointerCalls.h - counts calls through pointers -----------*- C++ -*-===//
//
// Each call through a pointer has a table of the functions that it called, and how often; a call of
// a library one of the arguments that it passed together. The module has a table of the functions
// whose addresses it takes, in which the runtime looks up their names.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/Expr.h"
#include "passes/ir/Probe.h"

#include <optional>
#include <vector>

namespace ergon {

class SourceNames;

/// The integer \p Arguments of \p Site that no single formula gives for every callee: they are
/// unknown, or vary with a loop, as the callee may too.
SmallVector<unsigned, 2> argumentsInMean(const CallBase &Site,
                                         ArrayRef<std::optional<Expr>> Arguments,
                                         const llvm::Loop *Around, SourceNames &Names);

/// The integer arguments of \p Site that are no constants.
SmallVector<unsigned, 2> varyingArguments(const CallBase &Site);

/// A global of the module's alone that begins as \p Value.
llvm::GlobalVariable *newGlobal(llvm::Module &M, llvm::Constant *Value, bool IsConstant,
                                const char *Name);

/// Counts the targets of \p CallSite, or the arguments of a direct call. Returns the table's row,
/// see `runtime/CounterTable.h`.
llvm::Constant *countTargets(const PointerCall &CallSite);

/// After all calls are counted: emits the code that they share.
void finishTargets(llvm::Module &M);

/// The functions whose addresses \p M takes, with their names, as rows of the table.
std::vector<llvm::Constant *> targetRows(llvm::Module &M);

/// Adds edges to \p Calls from each call through a pointer to every function of its type whose
/// address the module takes.
void addPointerCalls(llvm::Module &M, llvm::CallGraph &Calls);

} // namespace ergon
