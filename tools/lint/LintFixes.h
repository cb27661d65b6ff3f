//===- LintFixes.h - changes of sources by fix-its --------------*- C++ -*-===//
#pragma once

#include "formats/json/Error.h"
#include "model/lint/Finding.h"

#include <expected>
#include <string>
#include <vector>

namespace ergon {

/// Applies the fix-its of the findings that are shown. The result says what was done, a line each.
/// Error, before any file is changed: a line is not the one that the fix-it is for.
std::expected<std::vector<std::string>, Error> applyFixes(const LintReport &Report);

} // namespace ergon
