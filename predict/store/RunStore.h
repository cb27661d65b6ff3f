//===- RunStore.h - run records on the command line -------------*- C++ -*-===//

#pragma once

#include "formats/json/Error.h"
#include "model/program/Run.h"

#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// By its name.
bool isRunRecord(const std::filesystem::path &File);

/// The processes of one run: of a run record, or of a folder of them. Error: no such file, a folder
/// without records, or an invalid record.
std::expected<std::vector<ProcessRun>, Error> readRun(const std::string &Path);

/// Reads runs: each path is a run record, or a folder with those of one run's processes.
/// Errors as above, and a process that could not count.
std::expected<Runs, Error> openRuns(const std::vector<std::string> &Paths);

/// The arguments that all counting processes of a run had; nothing where they differ or are not
/// known. Error: as of readRun().
std::expected<std::optional<std::vector<std::string>>, Error> argumentsOf(const std::string &Path);

} // namespace ergon
