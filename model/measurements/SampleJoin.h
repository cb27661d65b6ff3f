//===- SampleJoin.h - logs of tools as samples ------------------*- C++ -*-===//
//
// Times, counters, clocks and power of several logs, put together: a row for each workload and
// setting. Of a kernel a row has the mean of its launches.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/fit/Samples.h"
#include "model/measurements/MetricClasses.h"
#include "model/measurements/ToolLog.h"
#include "model/symbolic/Error.h"

#include <expected>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ergon {

struct JoinOptions {
  std::optional<double> CoreMhz = {}, MemMhz = {}; ///< of all runs, in the place of logged clocks
  /// Seconds from the first reading of the power log to the zero of the kernels' starts.
  std::optional<double> OffsetS = {};
  std::string Device = {};             ///< the one of several; empty: there must be one
  std::vector<TakenMetric> Taken = {}; ///< counters that become columns
  std::vector<ClassCount> Counts = {}; ///< what each run does, where no counter says so
  bool KeepsBlank = false;             ///< rows without energy stay where others have one
};

struct JoinedLogs {
  Samples Table;
  std::vector<double> Launches; ///< that each row is the mean of
  /// The counters that each class was made of.
  std::map<std::string, std::set<std::string>> From;
  std::vector<std::string> Unmapped; ///< counters that are no class, sorted
  std::vector<LogFinding> Findings;
};

/// The rows that \p Logs give together. Error: several devices, no times, no clocks, power logs
/// that overlap.
std::expected<JoinedLogs, Error> joinLogs(const std::vector<ToolLog> &Logs,
                                          const JoinOptions &Options);

/// The device among \p Found that everything is of; \p What they were found in, for messages.
/// Error: several, and none was asked for, or not that one.
std::expected<std::string, Error> chosenDevice(const std::set<std::string> &Found,
                                               const std::string &Asked, const std::string &What);

/// The one power log of \p Logs on the device asked for, in the order of time; without readings
/// where there is none. Error: several devices, or logs of the same time.
std::expected<PowerLog, Error> joinedPower(const std::vector<ToolLog> &Logs,
                                           const std::string &Device);

/// \p Name of a kernel as nvprof, Nsight Compute and Nsight Systems all have it: without a result
/// type, parameters, spaces and types of template arguments: `void f<int=32>(float*)` and
/// `f<(int)32>(float *)` are `f<32>`.
std::string kernelName(std::string_view Name);

} // namespace ergon
