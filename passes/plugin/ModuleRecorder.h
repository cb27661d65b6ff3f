//===- ModuleRecorder.h - a module's record, as it is compiled --*- C++ -*-===//
//
// Takes the snapshots of one module while it goes through the pipeline, and writes its record at
// the end.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/device/DeviceBlocks.h"
#include "passes/incore/MachineLoops.h"
#include "passes/incore/VectorRemarks.h"
#include "passes/instrument/Instrumentation.h"
#include "passes/plugin/RecordWriter.h"
#include "passes/symbolic/CalleeValues.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/PassManager.h"

#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// What the user asked for, by options or in the environment.
struct RecorderOptions {
  std::string Directory; ///< for records; empty: none are written
  /// `ergon record` chose the directory and is told of the record.
  bool IsRecorded = false;
  std::string Snapshots;    ///< separated by commas; empty: as the optimization level says
  bool Instrument = false;  ///< counters for what has no formula
  bool FailOnError = false; ///< a record that cannot be written is an error, else a warning
};

class ModuleRecorder {
public:
  explicit ModuleRecorder(RecorderOptions Options) : Options(std::move(Options)) {}

  /// Begins the record; the module's first pass calls it.
  void begin(const llvm::Module &M);
  /// Takes the `source` snapshot. Returns true where it put counters into \p M, which is not going
  /// to be optimized.
  bool addSource(llvm::Module &M, llvm::ModuleAnalysisManager &AM, bool IsO0);
  /// Takes \p Snapshot of functions with parallel regions. A region of OpenMP is two functions, and
  /// both must be as the scalar optimizations left them, so this is for the last moment before any
  /// function is vectorized.
  /// Returns true where it put counters into \p M.
  bool addParallel(llvm::Module &M, StringRef Snapshot, llvm::ModuleAnalysisManager &AM);
  /// Takes the `algorithm` snapshot. Returns true where it put counters into \p F.
  bool addAlgorithm(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
  /// Takes the remaining snapshots and writes the record. Returns true where the module has
  /// counters now.
  bool finish(llvm::Module &M, llvm::ModuleAnalysisManager &AM, bool IsO0);

private:
  RecorderOptions Options;
  std::optional<RecordInWork> Record;
  std::vector<Function> Functions;
  llvm::StringMap<std::size_t> Done; ///< where in `Functions` the algorithm snapshots are
  MachineLoops Loops;
  llvm::StringMap<DeviceBlocks> Numbered; ///< device functions by name
  VectorRemarks WhyScalar;
  Instrumentation Counters;
  CalleeValues Callees;
  /// By snapshot: the functions with regions, and those that are now inside others.
  llvm::StringMap<llvm::StringSet<>> Parallel;
  /// Of these the ones whose loops were noted.
  llvm::StringSet<> Noted;

  void instrumentSource(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
  bool wants(StringRef Snapshot, bool IsO0) const;
  bool hasReader(const llvm::Function &F) const;
  void addMachine(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
  void addMachineCode(const llvm::Module &M);
  void addShapes(llvm::Module &M, llvm::FunctionAnalysisManager &AM);
  std::string write(const llvm::Module &M);
  void report(const llvm::Module &M, const std::string &Problem) const;
};

} // namespace ergon
