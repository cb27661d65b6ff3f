//===- MetricClasses.h - counters of tools as cost classes ------*- C++ -*-===//
//
// One table says which counters of profilers are which cost class, and how many units one of them
// is. docs/importing.md has the same table for readers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/measurements/ToolLog.h"

#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// A counter that the user names a class for.
struct TakenMetric {
  std::string Metric, Class;
};

/// The units of a class in one run, and the counters that they were made of.
struct ClassCount {
  std::string Class;
  double Units = 0;
  std::vector<std::string> From = {};
};

struct ClassifiedMetrics {
  std::vector<ClassCount> Counts;
  /// Classes of which only some counters are there: `flops_f32` and the counters that it lacks.
  struct Incomplete {
    std::string Class;
    std::vector<std::string> Missing;
  };
  std::vector<Incomplete> Partly;
  std::vector<std::string> Unmapped; ///< counters that belong to no class, sorted
};

/// The cost classes of \p Metrics. \p Taken come first.
ClassifiedMetrics classifyMetrics(const std::vector<Metric> &Metrics,
                                  const std::vector<TakenMetric> &Taken);

} // namespace ergon
