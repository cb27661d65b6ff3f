//===- CacheHierarchy.h - caches as one core meets them ---------*- C++ -*-===//
//
// From what is stated of a machine's caches to the geometry that traffic is
// predicted for.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_TRAFFIC_CACHEHIERARCHY_H
#define ERGON_MODEL_TRAFFIC_CACHEHIERARCHY_H

#include "model/machine/Caches.h"
#include "model/traffic/Traffic.h"

#include <expected>
#include <span>
#include <string>
#include <vector>

namespace ergon {

/// The caches on one core's way to memory.
struct CorePath {
  CacheHierarchy Levels;
  /// What is taken for granted where it is not stated.
  std::vector<std::string> Assumptions;
};

/// Of \p Cores that are at work: each has its part of a cache that they share. Error: a
/// capacity, line or number of ways that is not stated, or geometry that makes no sense.
std::expected<CorePath, Error> pathOfOneCore(std::span<const Cache> Caches, unsigned Cores = 1);

/// checkHierarchy() of the levels whose lines are known.
std::optional<std::string> checkCaches(std::span<const Cache> Caches);

} // namespace ergon

#endif
