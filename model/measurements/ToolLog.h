//===- ToolLog.h - what a measuring tool logged -----------------*- C++ -*-===//
//
// The logs of profilers and meters in one form: runs with their times and counters, and power over
// time. All values are in SI base units, clocks in MHz.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// The tools whose logs are read, in the order of LogToolNames.
enum class LogTool : unsigned { Nvprof, Ncu, NvidiaSmi, Dcgm, Perf, Likwid, KernelTuner };

/// The names of the tools on a command line.
inline constexpr std::array<std::string_view, 7> LogToolNames = {
    "nvprof", "ncu", "nvidia-smi", "dcgm", "perf", "likwid", "kernel-tuner"};

/// The name of \p Tool on a command line.
constexpr std::string_view name(LogTool Tool) { return LogToolNames[unsigned(Tool)]; }

/// A counter's value, by the tool's own name: bytes, or how often something happened.
struct Metric {
  std::string Name;
  double Value = 0;
};

/// A launch of a kernel, the mean of several, a region of a program, or a tuner's configuration.
struct LoggedRun {
  std::string Name;
  std::string Shape = {}; ///< grid and block, `20x10x1/32x32x1`; empty where the log has none
  double Launches = 1;    ///< how many the other values are means of
  std::optional<double> StartS = {}; ///< of one launch, on the log's own clock
  std::optional<double> TimeS = {};
  std::optional<double> EnergyJ = {};
  std::optional<double> CoreMhz = {}, MemMhz = {}, CoreMv = {};
  std::vector<Metric> Metrics = {};
  std::string Device = {}; ///< `0`; empty where the log has none
};

/// Power at a moment, and the clocks then.
struct PowerReading {
  double AtS = 0; ///< on the log's own clock
  double PowerW = 0;
  std::optional<double> CoreMhz = {}, MemMhz = {};
};

/// The readings of one device, in the order of time.
struct PowerLog {
  std::string Device; ///< `0`; empty where the log has none
  std::vector<PowerReading> Readings = {};
};

/// Something that the user should know of a log, or of what was made of several.
struct LogFinding {
  std::string Id;   ///< its kind, such as `mean-power`
  std::string Text; ///< one line
};

/// One file of a tool.
struct ToolLog {
  LogTool Tool = LogTool::Nvprof;
  std::string File = {};
  std::vector<LoggedRun> Runs = {};
  std::vector<PowerLog> Power = {};
  std::vector<std::string> Rates =
      {}; ///< counters that are rates or shares: no class can have them
  /// What was left out of the file, and why: one line each.
  std::vector<std::string> Notes = {};
  std::vector<LogFinding> Findings = {}; ///< values that it lacks, and rows have blank
};

} // namespace ergon
