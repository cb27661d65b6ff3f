//===- SetOptions.h - values from the command line --------------*- C++ -*-===//
#pragma once

#include "predict/values/Bindings.h"

#include <expected>
#include <string>
#include <vector>

namespace ergon {

/// Parses `--set`: NAME=VALUE and NAME=LOW..HIGH pairs, in order. A value that is no number is an
/// error only where an entry has the name. Error: a text that is no pair.
std::expected<std::vector<GivenValue>, Error> readSets(const std::vector<std::string> &Sets);

} // namespace ergon
