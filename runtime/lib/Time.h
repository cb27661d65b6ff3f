//===- Time.h - the clock that readings are told by -------------*- C++ -*-===//

#pragma once

#include <cstdint>

namespace ergon::runtime {

/// Billionths of a second of a clock that never goes back.
std::int64_t now();

/// The process, or what is measured in it, begins now.
void beginRun();
/// When the process began, in ns of now(); without such a call, the time of the first question.
std::int64_t startOfRun();

} // namespace ergon::runtime
