//===- ScalingRuns.h - measured runs on several processors ------*- C++ -*-===//
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// A measured run of a program on P processors.
struct ScalingRun {
  std::string Workload;
  double N = 1; ///< problem size
  double P = 1;
  std::optional<double> Nodes;   ///< that were in use; nothing: as many as P processors need
  std::optional<double> Mhz;     ///< core clock
  double TimeS = 0;              ///< above 0
  std::optional<double> EnergyJ; ///< above 0, of all nodes; nothing: no meter
  std::size_t Line = 0;          ///< of the table, from 1
};

/// In the order of a table.
using ScalingRuns = std::vector<ScalingRun>;

} // namespace ergon
