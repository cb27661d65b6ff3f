//===- Measure.h - the time that probes take --------------------*- C++ -*-===//
//
// Runs probes on threads that are bound to processors and says how long each took, and
// whether something else than the probe had a part in it.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_CALIBRATION_MEASURE_H
#define ERGON_CALIBRATION_MEASURE_H

#include "calibration/Probes.h"
#include "calibration/Sampling.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ergon {

/// The processors that this process may run on.
std::vector<int> allowedProcessors();

/// Bytes of memory that nobody uses.
std::uint64_t freeMemoryBytes();

/// Cycles a second of the core under the calling thread, over some 50 µs: an addition that
/// waits for the one before takes one cycle on every processor.
double coreClockHz();

/// What a thread does, \p Iterations times.
using ThreadWork = std::function<void(unsigned Thread, std::uint64_t Iterations)>;

/// Threads that work at the same time, each on a processor of its own.
struct Team {
  unsigned Threads = 1;
  std::vector<int> Processors; ///< one for each thread at least
  ThreadWork Work;
  std::uint64_t WarmUp = 1; ///< iterations before those that are measured
  /// What the first thread does right before and after these, if anything: reads a meter.
  std::function<void()> AtBegin{}, AtEnd{};

  /// Warms up, then does so many iterations with their time taken.
  Timing take(std::uint64_t Iterations) const;
};

/// A probe with its threads' data, which were written once.
class ProbeRun {
public:
  /// \p Processors has one for each thread at least.
  ProbeRun(const Probe &Of, const std::vector<int> &Processors);
  ~ProbeRun();
  ProbeRun(const ProbeRun &) = delete;
  ProbeRun &operator=(const ProbeRun &) = delete;

  /// False where there was no memory for the data.
  bool ready() const { return Ready; }
  const Team &team() const { return Runs; }

private:
  struct Data;
  const Probe &Of;
  Team Runs;
  std::vector<std::unique_ptr<Data>> OfThreads;
  bool Ready = true;
};

/// Binds the calling thread to a processor.
void bindTo(int Processor);

} // namespace ergon

#endif
