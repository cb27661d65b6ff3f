//===- SourceSnapshot.h - what the programmer wrote -------------*- C++ -*-===//
//
// The `source` snapshot: the code as the front end gave it, brought into a form
// that the analysis understands on a copy. It is there at any -O, and nothing
// that the programmer wrote is optimized away.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_SOURCESNAPSHOT_H
#define ERGON_PASSES_SOURCESNAPSHOT_H

#include "model/Function.h"

#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace ergon {

/// Costs of the functions that \p M defines; \p M stays as it is.
std::vector<Function> sourceSnapshot(const llvm::Module &M, bool WithRemarks);

} // namespace ergon

#endif
