//===- CacheHierarchy.h - the caches that one core uses ---------*- C++ -*-===//
//
// Derives the cache geometry for traffic prediction from what a machine profile states.
//
//===----------------------------------------------------------------------===//
#pragma once

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
  /// Assumptions for what is not stated.
  std::vector<std::string> Assumptions;
};

/// With \p Cores active, each gets an equal share of a shared cache. A \p Team of threads that
/// share the work has the caches of as many cores together, each with other data. Error: a
/// capacity, line size or associativity that is not stated, or inconsistent geometry.
std::expected<CorePath, Error> pathOfOneCore(std::span<const Cache> Caches, unsigned Cores = 1,
                                             unsigned Team = 1);

/// checkHierarchy() of the levels whose line size is known.
std::optional<std::string> checkCaches(std::span<const Cache> Caches);

} // namespace ergon
