//===- HostCaches.h - the caches of this machine ----------------*- C++ -*-===//
//
// Data from hwloc: of this machine, or of another that HWLOC_XMLFILE or HWLOC_SYNTHETIC describes
// (hwloc's own environment variables).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"
#include "model/machine/Machine.h"

#include <expected>
#include <string>
#include <vector>

namespace ergon {

struct HostCaches {
  unsigned Cores = 0;
  std::string Processor;     ///< its model's name; empty where it is not told
  std::string Library;       ///< `hwloc (API 2.8)`
  std::vector<Cache> Levels; ///< of data, on the first core's way to memory
  /// Unknown properties, and those that a profile cannot state: one phrase each.
  std::vector<std::string> Unknown, Remarks;
};

/// Error: hwloc finds nothing, or no caches.
std::expected<HostCaches, Error> findHostCaches();

} // namespace ergon
