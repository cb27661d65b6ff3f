//===- TrafficView.h - traffic as text --------------------------*- C++ -*-===//

#pragma once

#include "model/gpu/DeviceReport.h"
#include "model/traffic/TrafficReport.h"

#include <map>
#include <string>

namespace ergon {

/// Prints what moves between the levels, with W/Q by level and the lines that move most.
void printTraffic(const TrafficReport &Report, const std::map<std::string, double> &Intensity);

/// Prints what a launch moves, and what its accesses ask for.
void printTraffic(const DeviceReport &Report, const std::map<std::string, double> &Intensity);

} // namespace ergon
