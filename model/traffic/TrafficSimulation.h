//===- TrafficSimulation.h - traffic from simulated caches ------*- C++ -*-===//
//
// The simulation of Traffic.h with a given effort.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_TRAFFIC_TRAFFICSIMULATION_H
#define ERGON_MODEL_TRAFFIC_TRAFFICSIMULATION_H

#include "model/traffic/Traffic.h"

namespace ergon {

/// Runs about \p Budget accesses; samples a program that has more.
std::expected<Traffic, Error> simulateTraffic(const AccessProgram &Program,
                                              const CacheHierarchy &Through, const Placement &P,
                                              double Budget);

} // namespace ergon

#endif
