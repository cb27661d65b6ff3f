//===- ObjectFile.h - the output of the compiler ----------------*- C++ -*-===//
#pragma once

#include "passes/ir/LLVM.h"

#include <string>
#include <vector>

namespace ergon {

/// The user's output file of this process, as given: ERGON_OBJECT, the argument of -o of the
/// compiler's driver, or the default of -c for \p Source. Empty where unknown, and for /dev/null.
/// It distinguishes two compilations of one source file; nothing in the IR does.
std::string objectFile(StringRef Source);

/// The source file on this process's command line, before parsing; empty where no file has a known
/// suffix.
std::string sourceOnCommandLine();
/// The absolute path of \p Name, without `.` and `..`; keeps links. Empty where unknown.
std::string wholePath(StringRef Name);

/// True where a word of this process's command line, with response files expanded, is a path of the
/// same file as \p Name.
bool isOnCommandLine(StringRef Name);

/// The words of this process's command line, with response files expanded; empty where unknown.
std::vector<std::string> commandLineWords();

} // namespace ergon
