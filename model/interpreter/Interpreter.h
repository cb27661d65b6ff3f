//===- Interpreter.h - runs code on a program's arguments -------*- C++ -*-===//
//
// Runs recorded code from `main` or from a function on. What is not known stays unknown, with all
// that is computed from it: where a branch depends on it, all its ways are followed, and what they
// leave different is unknown behind them. So a value that is given holds, whatever the unknown
// values are.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/code/Code.h"
#include "model/code/ProgramValues.h"

namespace ergon::code {

/// Runs `main` of \p What, to which names of library functions are added, as it is called in \p
/// How.
ProgramValues valuesOf(Program &What, const CommandLine &How,
                       UnknownNumbers Are = UnknownNumbers::Any);
/// Runs a function of \p What, as it is called in \p How. What else its caller can reach is
/// unknown: memory, and globals that are no constants.
ProgramValues valuesOfCall(Program &What, const EntryCall &How,
                           UnknownNumbers Are = UnknownNumbers::Any);

} // namespace ergon::code
