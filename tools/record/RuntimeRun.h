//===- RuntimeRun.h - programs with the runtime -----------------*- C++ -*-===//
#pragma once

#include "tools/base/ChildProcess.h"

#include <expected>
#include <string>
#include <vector>

namespace ergon {

/// Runs a program with the runtime loaded before it, so that it leaves run records in \p Folder.
/// \p Runtime is what the user gave, or empty. Errors: no runtime, no folder, a program that cannot
/// be run or that left no record.
std::expected<Ended, Error> runWithRuntime(const std::vector<std::string> &Command,
                                           const std::string &Folder, const std::string &Runtime,
                                           Output To = Output::AsOwn);

} // namespace ergon
