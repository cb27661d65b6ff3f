//===- ClusterFormat.h - the cluster in a machine profile -------*- C++ -*-===//
//
// The section `cluster` of a profile, and the terms that an application measured anew.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/SourceFormat.h"

#include <nlohmann/json_fwd.hpp>

namespace ergon {

/// The cluster in the object \p Json of a profile: its terms and number of processors. Each
/// quantity names one of \p Sources; else it is refused.
Cluster readCluster(JsonCursor Json, const std::map<std::string, Source> &Sources);
/// The object that readCluster() reads back as equal.
nlohmann::ordered_json writeCluster(const Cluster &C);
/// The terms that \p Json states, in the place of a profile's; absent ones stay so. Errors as of
/// readCluster().
ClusterTerms readClusterTerms(JsonCursor Json, const std::map<std::string, Source> &Sources);

} // namespace ergon
