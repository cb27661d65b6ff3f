//===- CompilerWords.h - the words of a compiler's command ------*- C++ -*-===//
#pragma once

#include "formats/record/CompilationFormat.h"

#include <cstddef>
#include <expected>
#include <string>
#include <vector>

namespace ergon {

/// Where the compiler stands in the words: behind a launcher such as ccache.
std::size_t compilerOf(const Compilation &C);

/// True where a word of a database is the name or the path of a clang or a flang, or a link to one,
/// run in \p Directory. Nothing else may be run to find out what it is.
bool isCompiler(const std::string &Program, const std::string &Directory);

/// The same compilation without response files and configuration files that have a path: their
/// words stand in their places, as the driver puts them there. Error: such a file is no regular
/// file, is too large, or contains itself.
std::expected<Compilation, Error> expandFiles(const Compilation &C);

/// How many words from \p Position on say what is written besides the object file, or where it is
/// written: 0 where it is none of these.
std::size_t outputWords(const std::vector<std::string> &Words, std::size_t Position);

} // namespace ergon
