//===- GpuRun.h - time and energy of probes on a GPU ------------*- C++ -*-===//
//
// A sample is a burst: launches one behind the other, long enough for the meter. Power is the
// difference of two readings over the time between them, both taken while the burst runs, and
// each at the moment at which the meter had something new.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "calibration/cuda/Driver.h"
#include "calibration/cuda/GpuProbes.h"
#include "runtime/meters/Meter.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace ergon::cuda {

/// The meter of that GPU by NVML, and why there is none. A new one each time: what it tells begins
/// with its first reading.
struct FoundMeter {
  std::unique_ptr<runtime::Meter> Source;
  std::string Why;
};
/// Error as text in Why: no NVML, no such GPU there, or one that does not tell its power.
FoundMeter findMeter(const Properties &P);

/// How a meter is read.
struct MeterTimes {
  /// In periods of the meter: before the first reading that counts, in which power settles and
  /// what is a mean over a second leaves the past behind; and between the readings.
  unsigned Settle = 10, Window = 10;
};

/// What a sample was.
struct Burst {
  double Seconds = 0;          ///< all launches
  std::optional<double> Watts; ///< where there is a meter
  double ClockHz = 0;          ///< of the multiprocessors, the mean of before and after
  double ClockChange = 0;      ///< from before to after, relative
  std::string HeldDownBy;      ///< what slowed the clock meanwhile; empty: nothing
};

/// A GPU that probes run on.
class GpuBench {
public:
  /// Probes run on \p G, which must outlive it; prepare() comes before all else.
  GpuBench(Gpu &G, MeterTimes Times) : Processor(G), Times(Times) {}
  /// Looks for a meter and readies the kernel that reads the clock. Error: the kernel is not
  /// loaded, or no memory.
  Result<void> prepare();

  /// Whether there is a meter of this GPU, and why there is none.
  bool hasMeter() const { return HasMeter; }
  const std::string &whyNoMeter() const { return WhyNoMeter; }
  /// Whether its power is measured. A probe without iterations is too short: the queue holds some
  /// hundred launches, and a launch beyond that waits.
  bool isMetered(const GpuProbe &Probe) const { return HasMeter && Probe.hasEnergy(); }
  /// Seconds that a burst of it must last for the meter; 0 without one.
  double meterSeconds(const GpuProbe &Probe) const;
  /// Watts while nothing runs. Error: the meter ended.
  Result<double> idleWatts();

  /// The probe's data, in the place of those of the one before. Error: no memory.
  Result<void> load(const GpuProbe &Probe);
  /// Iterations of a launch, and launches of a burst, so that these take so many seconds at least.
  struct Plan {
    std::uint64_t Iterations = 1, Launches = 1;
  };
  /// Runs the loaded probe to find out, with \p LaunchS seconds for a launch and \p BurstS for a
  /// burst. Error: a launch failed.
  Result<Plan> plan(double LaunchS, double BurstS);
  /// One sample: \p As launches of the loaded probe, between two readings of the clock, with power
  /// where it is metered and \p WithPower. Error: a launch failed, or the meter ended.
  Result<Burst> burst(Plan As, bool WithPower = true);

private:
  Gpu &Processor;
  MeterTimes Times;
  bool HasMeter = false;
  std::string WhyNoMeter;
  std::int64_t Period = 0;
  Kernel *ClockKernel = nullptr;
  Memory ClockIn, ClockOut;
  GpuProbe Loaded;
  Kernel *LoadedKernel = nullptr;
  Memory Input, Out;

  Result<void> enqueue(std::uint64_t Iterations);
  Result<void> enqueueClock(unsigned Which);
  Result<void> queueBurst(Plan As);
  Result<std::optional<double>> watts(std::string &HeldDownBy,
                                      const std::function<Result<bool>()> &IsOver);
};

} // namespace ergon::cuda
