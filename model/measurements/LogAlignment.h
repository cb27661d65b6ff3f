//===- LogAlignment.h - kernels' times on a power log's clock ---*- C++ -*-===//
//
// A profiler counts time from its own start, a power log has the time of day. Where nothing says
// how far they are apart, the power itself does: the offset is taken at which the kernels that run
// explain most of the variance of the readings.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/measurements/ToolLog.h"

#include <expected>
#include <span>
#include <string>
#include <vector>

namespace ergon {

/// Launches of one workload that follow each other without a pause that a power log can see.
struct Stretch {
  std::size_t Workload = 0;
  double FromS = 0, UntilS = 0; ///< on the profiler's clock
  double BusyS = 0;             ///< of the launches alone
  double Launches = 0;
};

/// A launch, to be put into stretches.
struct TimedLaunch {
  std::size_t Workload = 0;
  double StartS = 0, TimeS = 0;
};

/// The stretches of \p Launches, which are in the order of their starts: launches of the same
/// workload with pauses of \p MaxPauseS or less.
std::vector<Stretch> stretchesOf(std::span<const TimedLaunch> Launches, double MaxPauseS);

enum class AlignedBy { Length, Power, Constant };

struct LogAlignment {
  double OffsetS = 0; ///< from the profiler's clock to the log's
  AlignedBy How = AlignedBy::Power;
  double Explained = 1; ///< share of the readings' variance, with Power
};

/// The offset at which \p Readings are of \p Stretches. By Length where the log is as long as the
/// kernels, by Constant where power changes by less than 2 % and the clocks do not, so that any
/// offset gives the same energies. Error: why there is none.
std::expected<LogAlignment, std::string> alignLog(std::span<const Stretch> Stretches,
                                                  std::span<const PowerReading> Readings);

} // namespace ergon
