//===- ClusterFormat.h - the cluster in a machine profile -------*- C++ -*-===//
//
// The section `cluster` of a profile, and the terms that an application measured anew.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_FORMATS_PROFILE_CLUSTERFORMAT_H
#define ERGON_FORMATS_PROFILE_CLUSTERFORMAT_H

#include "formats/json/SourceFormat.h"

#include <nlohmann/json_fwd.hpp>

namespace ergon {

Cluster readCluster(JsonCursor At, const std::map<std::string, Source> &Sources);
nlohmann::ordered_json writeCluster(const Cluster &Of);
ClusterTerms readClusterTerms(JsonCursor At, const std::map<std::string, Source> &Sources);

} // namespace ergon

#endif
