//===- Samples.h - measured runs for fits -----------------------*- C++ -*-===//
//
// A table of measurements: each row is a workload at a setting, its time and energy, and the units
// of each cost class that it executed.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/Machine.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// One measurement.
struct Sample {
  std::string Workload;
  Setting Clocks;                ///< its Source is empty
  double TimeS = 0;              ///< seconds, above 0
  std::optional<double> EnergyJ; ///< joules, above 0; absent without a meter
  /// Units of each class, in the order of Samples::Classes; a count that was not measured is
  /// absent, not 0.
  std::vector<std::optional<double>> Counts;
  std::size_t Line = 0; ///< where it was read, from 1
};

struct Samples {
  std::vector<std::string> Classes;
  std::vector<Sample> Rows;
};

/// The number of each row's workload, from 0 in the order of their first rows.
std::vector<std::size_t> workloadsOf(const Samples &S);
/// The same for its setting: rows with the same clocks.
std::vector<std::size_t> settingsOf(const Samples &S);

} // namespace ergon
