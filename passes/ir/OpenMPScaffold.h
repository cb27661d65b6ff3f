//===- OpenMPScaffold.h - what unfolding puts into a copy -------*- C++ -*-===//
//
// Markers of the loops over threads and of calls that no machine executes, and what calls of the
// OpenMP runtime are.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_IR_OPENMPSCAFFOLD_H
#define ERGON_PASSES_IR_OPENMPSCAFFOLD_H

#include "model/symbolic/Expr.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/ConstantFolder.h"
#include "llvm/IR/IRBuilder.h"

#include <optional>

namespace llvm {
class Loop;
} // namespace llvm

namespace ergon {

/// What stands for the number of the thread and for that of all threads.
inline constexpr const char *ThreadSymbol = "omp.thread", *ThreadsSymbol = "omp.threads";

/// Builds instructions that no machine executes: they cost nothing.
class ScaffoldBuilder
    : public llvm::IRBuilder<llvm::ConstantFolder, llvm::IRBuilderCallbackInserter> {
public:
  /// Inserts before \p Before, with its position in the source.
  explicit ScaffoldBuilder(llvm::Instruction *Before);

  /// Marks \p I as an instruction that no machine executes.
  static void mark(llvm::Instruction &I);

  /// The number of the thread that runs this, and of all threads.
  llvm::Value *thread();
  llvm::Value *threads();

private:
  llvm::CallInst *marker(const char *Name);
};

/// True for what unfolding has put in and no machine executes.
bool isScaffold(const llvm::Instruction &I);
/// The symbol that a call of the runtime, or what stands for one, gives.
std::optional<Expr> threadSymbol(const llvm::CallBase &Site);
/// True for the loop over a region's threads.
bool isThreadLoop(const llvm::Loop &L);
/// What only the runtime's own work is in: a barrier, a lock, a question.
bool isRuntimeCall(llvm::StringRef Callee);

/// Marks \p Phi as the number of a region's thread, in the loop over the threads.
void markThreadLoop(llvm::PHINode &Phi);

} // namespace ergon

#endif
