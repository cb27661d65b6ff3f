//===- TextFile.h - writes a file -------------------------------*- C++ -*-===//
#pragma once

#include "formats/json/Error.h"

#include <expected>
#include <string>

namespace ergon {

/// Writes \p Text to \p Path as a whole or not at all. Error: the file cannot be written.
std::expected<void, Error> writeTextFile(const std::string &Path, const std::string &Text);

} // namespace ergon
