//===- SampleCells.h - sums of launches ------------------------*- C++ -*-===//
#pragma once

#include "model/measurements/ToolLog.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ergon {

/// Sums over launches of one workload at one setting.
struct SampleCell {
  std::size_t Workload = 0;
  std::optional<double> CoreMhz, MemMhz, CoreMv;
  double Launches = 0, TimeS = 0;         ///< summed over launches
  double EnergyLaunches = 0, EnergyJ = 0; ///< of those launches whose energy is known
  std::map<std::string, std::pair<double, double>> Metrics; ///< sums, and of how many launches

  void add(const std::vector<Metric> &More, double Weight) {
    for (const Metric &M : More) {
      auto &[Sum, Count] = Metrics[M.Name];
      Sum += M.Value * Weight;
      Count += Weight;
    }
  }
};

/// The cells, in the order in which they were asked for first.
class SampleCells {
public:
  std::vector<SampleCell> Cells;

  /// The cell of \p Workload at these clocks, a new one where there is none. It stays until the
  /// next one is asked for.
  SampleCell &cell(std::size_t Workload, std::optional<double> CoreMhz,
                   std::optional<double> MemMhz);
  /// Makes clocks that are nearer than ClockTolerance one setting, and one cell of those of a
  /// workload at it.
  void joinClocks();

private:
  std::map<std::tuple<std::size_t, std::optional<double>, std::optional<double>>, std::size_t>
      Positions;
};

} // namespace ergon
