//===- ImportFormat.h - logs of profilers and meters ------------*- C++ -*-===//
//
// Reads what nvprof, Nsight Compute, nvidia-smi, DCGM, perf, likwid and Kernel Tuner write. Units
// are those that the log states; a column whose unit is not known is an error.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/import/ImportOptions.h"
#include "formats/json/Error.h"
#include "model/measurements/ToolLog.h"

#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace ergon {

/// The tool that wrote \p Text; nothing where it looks like none of them.
std::optional<LogTool> recognizedTool(std::string_view Text);

/// The log \p Text of \p Tool, from the file \p Path. Errors, each with its line: no log of that
/// tool, an unknown unit, times that go back, readings of several devices that cannot be told
/// apart.
std::expected<ToolLog, Error> parseLog(std::string_view Text, LogTool Tool, const std::string &Path,
                                       const ImportOptions &Options);

} // namespace ergon
