//===- RecordWriter.h - the record file of a translation unit ---*- C++ -*-===//
//
// Writes what was found in a module to the record folder: to a temporary file
// first, then by a rename, so that a reader never sees half a record.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_RECORDWRITER_H
#define ERGON_PASSES_RECORDWRITER_H

#include "model/Function.h"

#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace ergon {

Unit unitOf(const llvm::Module &M);

/// Writes the record of \p M to \p Directory, which is made where it is missing.
/// Returns what went wrong, or nothing.
std::string writeRecordFile(const llvm::Module &M, const std::vector<Function> &Functions,
                            const std::string &Directory);

} // namespace ergon

#endif
