//===- RunFormat.h - run records --------------------------------*- C++ -*-===//
//
// `ergon-run/1`, which the runtime writes when a process ends. RunKeys.h has its keys.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"
#include "model/program/Run.h"

#include <expected>
#include <string>
#include <string_view>

namespace ergon {

/// The regions, counters, meters and messages of one process. Error: no JSON, another schema
/// version, or a key that is missing, unknown or of another type.
std::expected<ProcessRun, Error> parseRun(std::string_view Text);

/// A run record with the meters and regions of \p Run, which parseRun() reads back. Its counters
/// and messages are left out, and no process has it: it is of a run that another tool watched.
std::string writeRun(const ProcessRun &Run);

} // namespace ergon
