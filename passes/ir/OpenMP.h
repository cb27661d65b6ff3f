//===- OpenMP.h - parallel regions as loops over their threads --*- C++ -*-===//
//
// clang and flang put the body of a parallel region into a function that the
// OpenMP runtime calls once for each thread, and ask the runtime for each
// thread's share of a loop. On a copy of the module these calls are lowered to IR,
// so that the analyses see ordinary code:
//
//   a parallel region       a loop over `omp.thread` from 0 to `omp.threads` - 1
//   a work-shared loop      thread 0 runs all of its iterations, the others none:
//                           over the threads, the serial iteration space
//   master, single          thread 0 alone
//   a reduction             each thread adds its part, as with every method that
//                           the runtime may choose
//
// What clang generates is not touched. docs/counting-rules.md has the rules.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/ir/LLVM.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"

#include <memory>

namespace ergon {

/// True where \p M calls the OpenMP runtime for regions or work sharing.
bool usesOpenMP(const llvm::Module &M);

/// A call that starts a parallel region, and the function that its threads run.
struct RegionStart {
  CallBase *Fork;
  llvm::Function *Region;
};
std::vector<RegionStart> regionStarts(llvm::Module &M);

/// Gives each fork a region of its own, so that what its threads count belongs to it.
void separateRegions(llvm::Module &M);

/// Whether \p Block is between the beginning and the end of a loop whose iterations threads share
/// by a static schedule.
bool isInSharedLoop(const BasicBlock &Block, const llvm::DominatorTree &DT,
                    const llvm::PostDominatorTree &PDT);

/// Inlines the regions of \p Copy. Captured variables are promoted to registers; with
/// \p AddStandInAccesses their loads and stores are still counted (see promoteCaptures()). Returns
/// the changed functions; inlined ones are removed.
llvm::StringSet<> unfoldParallelRegions(llvm::Module &Copy, bool AddStandInAccesses);

/// A copy of \p M that defines what unfolding needs, and nothing else.
std::unique_ptr<llvm::Module> copyParallelCode(const llvm::Module &M);

} // namespace ergon
