//===- CacheOptions.h - caches from the command line ------------*- C++ -*-===//
//
// What `--cache`, `--caches`, `--cores` and `--place` say.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_TOOLS_BASE_CACHEOPTIONS_H
#define ERGON_TOOLS_BASE_CACHEOPTIONS_H

#include "formats/json/Error.h"
#include "predict/answer/TrafficQuery.h"
#include "tools/base/Commands.h"

#include <expected>
#include <string>
#include <vector>

namespace ergon {

/// Reads `l1=32K/8/64,l2=1M/16/64`: the capacity of each level (K, M and G are powers of 1024),
/// ways and bytes of a line, and then, where it is so, `/through` and `/no-allocate`.
std::expected<std::vector<Cache>, Error> parseCaches(const std::string &Text);

/// What the options say of traffic. Error: caches that make no sense, or a place that is none.
std::expected<TrafficQuery, Error> readTraffic(const CacheOptions &Options);

} // namespace ergon

#endif
