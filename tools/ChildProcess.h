//===- ChildProcess.h - commands that Ergon runs ----------------*- C++ -*-===//
//
// Builds and programs that leave files in a folder: what is common to `ergon record` and
// `ergon run`.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_TOOLS_CHILDPROCESS_H
#define ERGON_TOOLS_CHILDPROCESS_H

#include "formats/Error.h"

#include <expected>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ergon {

/// The path that was \p Given, else the environment's, else that of a library of the
/// installation.
std::string libraryPath(const std::string &Given, const char *Variable, const char *Name);

/// Makes it, if need be; its path from the root. Error: it cannot be written to.
std::expected<std::filesystem::path, Error> openFolder(const std::string &Directory);

/// When each file was written.
using FileTimes = std::map<std::filesystem::path, std::filesystem::file_time_type>;
FileTimes filesIn(const std::filesystem::path &Directory,
                  bool (*IsWanted)(const std::filesystem::path &));
std::size_t countNew(const FileTimes &Before, const FileTimes &After);

/// The command's exit status, 128 + N where signal N ended it, or an error where
/// it could not be started.
std::expected<int, Error> runCommand(const std::vector<std::string> &Command);

} // namespace ergon

#endif
