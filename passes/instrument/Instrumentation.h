//===- Instrumentation.h - counts what only a run can tell ------*- C++ -*-===//
//
// Puts a counter wherever an unknown of the cost record asks for one, and a table of them
// into the module, which the runtime finds when the program starts. Without the runtime the
// program runs as ever.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_INSTRUMENT_INSTRUMENTATION_H
#define ERGON_PASSES_INSTRUMENT_INSTRUMENTATION_H

#include "model/program/Function.h"
#include "passes/ir/CountRequest.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/PassManager.h"

#include <list>
#include <optional>
#include <vector>

namespace llvm {
class Constant;
class GlobalVariable;
} // namespace llvm

namespace ergon {

class Instrumentation {
public:
  /// The functions by which a call of \p F may lead to another one, as far as its module shows, \p
  /// F among them. Null where it does not.
  const llvm::DenseSet<const llvm::Function *> *cycleOf(llvm::Function &F);
  /// Counts what \p What, of \p Summary's unknowns and calls, asks for in \p F. True where
  /// something was changed. What cannot be counted is left out.
  bool add(llvm::Function &F, llvm::FunctionAnalysisManager &AM, const Function &Summary,
           const CountRequest &What);
  /// Puts the table and its registration into the module of the functions, if there are any.
  bool finish(llvm::Module &M);

private:
  /// By function; the table's rows, see `runtime/CounterTable.h`.
  std::vector<llvm::Constant *> Rows;
  /// The module's functions that call themselves, by those that they do it by; once it was
  /// asked.
  std::optional<std::list<llvm::DenseSet<const llvm::Function *>>> Cycles;
};

} // namespace ergon

#endif
