//===- CompileCommands.h - recording without a build ------------*- C++ -*-===//
//
// Runs the commands of a compilation database with the plugin. Object files go to a
// temporary folder, so that the build tree stays as it is.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/record/CompilationFormat.h"

#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// The LLVM version that the plugin is for: its first number.
inline constexpr const char *SupportedVersion = "22";

/// `22` of a clang or flang 22; nothing where \p Compiler is neither, or cannot be run.
std::optional<std::string> llvmVersion(const std::string &Compiler);

/// The output of a compilation, as given.
std::string objectOf(const Compilation &C);
/// The same compilation into \p Object, without a launcher such as ccache, and without what it
/// would write into the build tree besides.
Compilation compilationInto(const Compilation &C, const std::string &Object);

/// Compiles all with progress on a terminal, several at once. Compiler output goes to the standard
/// error. Skips and reports compilers of unsupported versions. The environment must have the
/// plugin. Returns the number of failures, each of which was reported. Error: nothing to compile.
std::expected<std::size_t, Error> compileAll(const std::vector<Compilation> &Compilations,
                                             unsigned Jobs);

} // namespace ergon
