//===- ArgumentValues.h - what a program makes of its arguments -*- C++ -*-===//
#pragma once

#include "model/interpreter/Interpreter.h"
#include "model/program/CallFrames.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ergon {

/// Runs the recorded code of \p Main and of what it calls, as the program is called in \p How.
/// Empty where main's code was not recorded. Adds functions whose recorded code is damaged, by
/// their demangled names, to \p Damaged.
code::ProgramValues argumentValues(const Function &Main, const FunctionLookup &Find,
                                   const code::CommandLine &How, std::set<std::string> &Damaged);

/// The same for a program that calls \p Entry once on \p On: \p Values are its arguments, where
/// known.
code::ProgramValues entryValues(const Function &Entry, const FunctionLookup &Find,
                                const std::map<std::string, Rational> &Values,
                                const code::Hardware &On, std::set<std::string> &Damaged);

/// Those symbols that have a mean which counts are right with.
std::map<std::string, Rational> meanValues(const code::ProgramValues &Values);
/// Values of symbols in one function, by its name in its code, which others of the name do not
/// have.
std::map<std::string, Substitution> valuesOfFunctions(const code::ProgramValues &Values);
/// Of symbols that were other numbers on other visits, formulas in symbols of their function that
/// these agree with, by its name in its code.
std::map<std::string, Substitution> likelyFormulas(const code::ProgramValues &Values);
/// Those symbols that have one value in all functions.
std::map<std::string, std::int64_t> commonValues(const code::ProgramValues &Values);

} // namespace ergon
