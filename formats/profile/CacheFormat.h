//===- CacheFormat.h - the caches in a machine profile ----------*- C++ -*-===//
//
// The section `caches` of a profile; machine-profiles/README.md describes it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/SourceFormat.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>
#include <vector>

namespace ergon {

/// Refuses geometry that makes no sense.
std::vector<Cache> readCaches(JsonCursor Json, const std::map<std::string, Source> &Sources);
/// The same as is read.
nlohmann::ordered_json writeCaches(const std::vector<Cache> &Caches);

} // namespace ergon
