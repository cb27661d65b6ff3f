//===- Instrumentation.h - instruments unknowns -----------------*- C++ -*-===//
//
// Inserts counters for the unknowns of the cost record, and a table of them into the module, which
// the runtime finds at program start. Without the runtime the program behaves as before.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Function.h"
#include "passes/analysis/SourceSnapshot.h"
#include "passes/ir/Probe.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StableHashing.h"
#include "llvm/IR/PassManager.h"

#include <list>
#include <optional>
#include <vector>

namespace ergon {

class Instrumentation {
public:
  /// The functions on call cycles through \p F, including \p F, as far as its module shows. Null
  /// where it is not recursive.
  const llvm::DenseSet<const llvm::Function *> *cycleOf(llvm::Function &F);
  /// Inserts the counters that \p What requests for \p Summary's unknowns and calls in \p F. True
  /// if anything changed. Skips what cannot be counted.
  bool add(llvm::Function &F, llvm::FunctionAnalysisManager &AM, const Function &Summary,
           const CountRequest &What);
  /// Inserts those of functions whose regions run in functions of their own, and those of threads.
  bool add(llvm::Module &M, llvm::FunctionAnalysisManager &AM, ArrayRef<CountedParallel> What);
  /// Of the code that has counters, 16 hexadecimal digits; empty without any.
  std::string checksum() const;
  /// Puts the table and its registration into the module of the functions, if there are any.
  bool finish(llvm::Module &M);

private:
  /// By function; the table's rows, see `runtime/CounterTable.h`.
  std::vector<llvm::Constant *> Rows;
  llvm::stable_hash Code = 0;
  /// One part of a mean, whose other part is counted in another function.
  struct Half {
    StringRef Symbol;
    Edges Ways;
    bool IsOver;
  };
  /// What is counted in a function.
  struct Row {
    StringRef Name; ///< of the function that it is counted for
    std::vector<std::pair<StringRef, const Probe *>> Unknowns = {};
    std::vector<Half> Halves = {}; ///< those of one symbol and side add up
    std::vector<PointerCall> Calls = {};

    void addHalf(StringRef Symbol, const Edge &Way, bool IsOver);
  };
  bool addRow(llvm::Function &F, llvm::FunctionAnalysisManager &AM, const Row &Wanted);

  /// The module's recursive functions by call cycle; computed on demand.
  std::optional<std::list<llvm::DenseSet<const llvm::Function *>>> Cycles;
};

} // namespace ergon
