//===- CompilationFormat.h - compile_commands.json --------------*- C++ -*-===//
//
// Clang's JSON compilation database: how each source file of a project is compiled.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

struct Compilation {
  std::string Directory, File;
  std::vector<std::string> Words; ///< the compiler and its arguments, never empty
};

/// Error: no list of entries with directory, file, and a command or arguments.
std::expected<std::vector<Compilation>, Error> parseCompilations(std::string_view Text);

/// The words of a response file, as clang's driver reads it (GNU's rules): a backslash stands
/// before any character that is meant as it is, in quotes as well.
std::vector<std::string> responseWords(std::string_view Text);

/// The words that a shell makes of \p Command, where it has neither variables nor redirections.
std::vector<std::string> wordsOf(std::string_view Command);

} // namespace ergon
