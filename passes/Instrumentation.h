//===- Instrumentation.h - counts what only a run can tell ------*- C++ -*-===//
//
// Puts a counter wherever an unknown of the cost record asks for one, and a table of them
// into the module, which the runtime finds when the program starts. Without the runtime the
// program runs as ever.
//
// A counter is in a register as long as a loop runs that nothing can end but itself, and is
// added to memory where the loop ends.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_INSTRUMENTATION_H
#define ERGON_PASSES_INSTRUMENTATION_H

#include "model/Function.h"
#include "passes/Probe.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/PassManager.h"

#include <optional>
#include <vector>

namespace llvm {
class Constant;
class GlobalVariable;
} // namespace llvm

namespace ergon {

class Instrumentation {
public:
  /// Whether a call of \p F may lead to another one, as far as its module shows.
  bool callsItself(llvm::Function &F);
  /// Counts what \p Probes, those of \p Cost's unknowns, ask for in \p F. True where
  /// something was changed. What cannot be counted is left out.
  bool add(llvm::Function &F, llvm::FunctionAnalysisManager &AM, const Function &Cost,
           llvm::ArrayRef<Probe> Probes);
  /// Puts the table and its registration into the module of the functions, if there are any.
  bool finish(llvm::Module &M);

private:
  /// By function; the table's rows, see `runtime/CounterTable.h`.
  std::vector<llvm::Constant *> Rows;
  /// The module's functions that call themselves, once somebody has asked.
  std::optional<llvm::DenseSet<const llvm::Function *>> Recursive;
};

} // namespace ergon

#endif
