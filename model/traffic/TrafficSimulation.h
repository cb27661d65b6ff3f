//===- TrafficSimulation.h - traffic from simulated caches ------*- C++ -*-===//
//
// The simulation of Traffic.h with a given effort.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/traffic/Traffic.h"

namespace ergon {

/// Runs about \p Budget accesses; samples a program that has more.
std::expected<Traffic, Error> simulateTraffic(const AccessProgram &Program,
                                              const CacheHierarchy &Through, const Placement &P,
                                              double Budget);

} // namespace ergon
