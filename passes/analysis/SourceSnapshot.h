//===- SourceSnapshot.h - what is analyzed on a copy ------------*- C++ -*-===//
//
// The `source` snapshot: the code as the front end gave it, brought into a form
// that the analysis understands on a copy. It is there at any -O, and nothing
// that the programmer wrote is optimized away. And optimized functions with
// parallel regions, which are put back where they came from on a copy.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_ANALYSIS_SOURCESNAPSHOT_H
#define ERGON_PASSES_ANALYSIS_SOURCESNAPSHOT_H

#include "model/program/Function.h"

#include "llvm/ADT/StringSet.h"

#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace ergon {

/// Counts of the functions that \p M defines; \p M stays as it is.
std::vector<Function> sourceSnapshot(const llvm::Module &M, bool WithRemarks);

/// Counts of the functions of \p M that start or run parallel regions, as \p M stands. \p Covered
/// gets their names, and those of the functions that are now inside others. \p M stays as it is.
std::vector<Function> parallelSnapshot(const llvm::Module &M, llvm::StringRef Snapshot,
                                       llvm::StringSet<> &Covered);

} // namespace ergon

#endif
