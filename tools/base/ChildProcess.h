//===- ChildProcess.h - commands that Ergon runs ----------------*- C++ -*-===//
//
// Runs builds and programs that write files to a folder, for `ergon record` and `ergon run`.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"

#include <expected>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ergon {

/// The path \p Given, else from the environment, else an installed library.
std::string libraryPath(const std::string &Given, const char *Variable, const char *Name);

/// Creates it if needed; returns its absolute path. Error: it is not writable.
std::expected<std::filesystem::path, Error> openFolder(const std::string &Directory);

/// Tracks which files of a folder are written during its lifetime.
class WrittenFiles {
public:
  using Test = bool (*)(const std::filesystem::path &);
  /// Notes the files of \p Directory that \p IsWanted holds for, with their times.
  WrittenFiles(std::filesystem::path Directory, Test IsWanted);
  /// So far, by name.
  std::vector<std::filesystem::path> written() const;
  /// The current number of files.
  std::size_t count() const;

private:
  using Times = std::map<std::filesystem::path, std::filesystem::file_time_type>;
  std::filesystem::path Directory;
  Test IsWanted;
  Times Before;
  Times now() const;
};

/// How a command ended, and what it left.
struct Ended {
  int Status;           ///< its exit status, 128 + N where signal N ended it
  std::size_t All, New; ///< wanted files in the folder; of these written by the command
};
/// Where a command's standard output goes.
enum class Output { AsOwn, ToErrors };
/// Runs a command; returns its exit status, 128 + N after signal N. Interrupts from the terminal do
/// not end this process. Error: it could not be started.
std::expected<int, Error> statusOf(const std::vector<std::string> &Command,
                                   Output To = Output::AsOwn);
/// What a command left on its standard output.
struct Captured {
  int Status; ///< as of statusOf()
  std::string Text;
};
/// Runs a command without input and messages. Error: it could not be started.
std::expected<Captured, Error> outputOf(const std::vector<std::string> &Command);
/// Runs a command that writes files to \p Directory. Error: it could not be started.
std::expected<Ended, Error> runCommand(const std::vector<std::string> &Command,
                                       const std::filesystem::path &Directory,
                                       WrittenFiles::Test IsWanted, Output To = Output::AsOwn);

} // namespace ergon
