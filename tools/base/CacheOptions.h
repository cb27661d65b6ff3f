//===- CacheOptions.h - caches from the command line ------------*- C++ -*-===//
//
// Parses `--cache`, `--caches`, `--cores` and `--place`.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"
#include "predict/answer/TrafficQuery.h"
#include "tools/base/Commands.h"

#include <expected>
#include <string>
#include <vector>

namespace ergon {

/// Reads `l1=32K/8/64,l2=1M/16/64`: the capacity of each level (K, M and G are powers of 1024),
/// ways and line size, optionally with `/through` and `/no-allocate`.
std::expected<std::vector<Cache>, Error> parseCaches(const std::string &Text);

/// The traffic query of the options. Error: invalid caches or addresses.
std::expected<TrafficQuery, Error> readTraffic(const CacheOptions &Options);

} // namespace ergon
