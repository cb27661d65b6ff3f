//===- Error.h - what messages of bad input need ----------------*- C++ -*-===//
#pragma once

#include "model/symbolic/Error.h"

#include <expected>
#include <string>
#include <string_view>

namespace ergon {

/// \p Text as a JSON string literal: quoted, control characters escaped, so that
/// it fits on one line whatever is in it.
std::string inQuotes(std::string_view Text);

/// The whole of a file. Error: it is not there or cannot be read.
std::expected<std::string, Error> readTextFile(const std::string &Path);

} // namespace ergon
