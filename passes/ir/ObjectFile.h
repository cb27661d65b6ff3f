//===- ObjectFile.h - what the compiler was asked to write ------*- C++ -*-===//
#ifndef ERGON_PASSES_IR_OBJECTFILE_H
#define ERGON_PASSES_IR_OBJECTFILE_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace ergon {

/// What this process writes for its user, as that said it: ERGON_OBJECT, or what follows -o on the
/// command line of the compiler's driver, or what -c makes of the name of \p Source. Empty where it
/// is not known, and for /dev/null. It tells apart what is compiled of one source file twice;
/// nothing in the IR does.
std::string objectFile(llvm::StringRef Source);

/// The source file on this process's command line, before anything is parsed; empty where none is
/// known by its ending.
std::string sourceOnCommandLine();
/// The path of \p Name from the root, without `.` and `..`; links stay. Empty where that is not
/// known.
std::string wholePath(llvm::StringRef Name);

/// True where a word of the command line of this process, response files expanded, is the path of
/// the same file as \p Name.
bool isOnCommandLine(llvm::StringRef Name);

} // namespace ergon

#endif
