//===- RecordWriter.h - the record file of a translation unit ---*- C++ -*-===//
//
// Writes what was found in a module to the record folder, and tells `ergon record` of it: the build
// goes on without a record, so nothing else says that one is missing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/record/BuildNotes.h"
#include "model/program/Function.h"
#include "passes/ir/LLVM.h"

#include <string>
#include <vector>

namespace ergon {

/// Tells `ergon record` that a compiler is at work, which may be killed before it comes to a
/// module: clang loads its plugins before it parses.
void tellOfStart();

/// The record of one module, from the begin of its compilation.
class RecordInWork {
public:
  /// \p ToBuild: it goes where `ergon record` wants it, which is told of it.
  RecordInWork(const llvm::Module &M, bool ToBuild);
  /// Writes it to \p Directory, which is made where it is missing; \p Checksum is that of code with
  /// counters. Returns what went wrong, or nothing.
  std::string write(const llvm::Module &M, const std::vector<Function> &Functions,
                    const std::string &Checksum, const std::string &Directory);

private:
  void tell(BuildNote::Event What, const std::string &Why = "") const;

  Unit Record;
  std::string Name; ///< of its file
  bool ToBuild;
};

} // namespace ergon
