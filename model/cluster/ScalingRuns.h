//===- ScalingRuns.h - measured runs on several processors ------*- C++ -*-===//
#pragma once

#include <cmath>
#include <compare>
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

/// A program at one problem size.
struct ScalingSeries {
  std::string Workload;
  double N = 1;

  bool operator==(const ScalingSeries &) const = default;
  bool has(const ScalingRun &Run) const { return Run.Workload == Workload && Run.N == N; }
};

/// So many processors on so many nodes.
struct Processors {
  double P = 1, Nodes = 1;

  auto operator<=>(const Processors &) const = default;
};
/// Those of a run, or P of them where nodes are filled one after the other with \p PerNode;
/// infinity: one node has all.
inline Processors processorsOf(double P, double PerNode) {
  return {P, std::isinf(PerNode) ? 1 : std::ceil(P / PerNode)};
}
inline Processors processorsOf(const ScalingRun &Run, double PerNode) {
  return Run.Nodes ? Processors{Run.P, *Run.Nodes} : processorsOf(Run.P, PerNode);
}

/// The mean of runs of a series on the same processors.
struct MeanRun {
  std::size_t Runs = 0;
  double TimeS = 0;
  std::optional<double> EnergyJ{}; ///< nothing: no energy was measured

  /// What an efficiency is the inverse of: the energy, or else p·T.
  std::optional<double> cost(const Processors &On, bool IsEnergy) const {
    return IsEnergy ? EnergyJ : std::optional(On.P * TimeS);
  }
};
/// Nothing where there is no such run.
std::optional<MeanRun> meanRun(const ScalingRuns &Runs, const ScalingSeries &Series,
                               const Processors &On, double PerNode);

} // namespace ergon
