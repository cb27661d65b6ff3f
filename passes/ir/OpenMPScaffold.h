//===- OpenMPScaffold.h - scaffolding in unfolded copies --------*- C++ -*-===//
//
// Markers for loops over threads and for calls that no machine executes, and the meaning of OpenMP
// runtime calls.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/Expr.h"
#include "passes/ir/LLVM.h"

#include "llvm/IR/ConstantFolder.h"
#include "llvm/IR/IRBuilder.h"

#include <optional>

namespace ergon {

/// Symbols of the thread number and the number of threads.
inline constexpr const char *ThreadSymbol = "omp.thread", *ThreadsSymbol = "omp.threads";

/// Builds instructions that no machine executes and that are not counted.
class ScaffoldBuilder
    : public llvm::IRBuilder<llvm::ConstantFolder, llvm::IRBuilderCallbackInserter> {
public:
  /// Inserts before \p Before, with its position in the source.
  explicit ScaffoldBuilder(Instruction *Before);

  /// Marks \p I as an instruction that no machine executes.
  static void mark(Instruction &I);

  /// The number of the executing thread, and the number of threads.
  llvm::Value *thread();
  llvm::Value *threads();

private:
  llvm::CallInst *marker(const char *Name);
};

/// True for code inserted by unfolding that no machine executes.
bool isScaffold(const Instruction &I);
/// The symbol for the result of a runtime call or its replacement.
std::optional<Expr> threadSymbol(const CallBase &Site);
/// True for the loop over a region's threads.
bool isThreadLoop(const llvm::Loop &L);
/// True for the runtime's own work: a barrier, a lock, a query.
bool isRuntimeCall(StringRef Callee);

/// Marks \p Phi as the thread number of the loop over a region's threads.
void markThreadLoop(llvm::PHINode &Phi);

} // namespace ergon
