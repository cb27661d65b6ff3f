//===- ImportOptions.h - what logs do not say -------------------*- C++ -*-===//
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// What a log does not say.
struct ImportOptions {
  std::vector<std::string> Columns = {}; ///< of an nvidia-smi log without their names
  std::optional<double> PeriodS = {};    ///< between readings of a log without times
  std::optional<double> TimeS = {};      ///< of the run, where a log has none
  std::string Workload = {};             ///< of logs of a whole program; empty: the file's name
};

} // namespace ergon
