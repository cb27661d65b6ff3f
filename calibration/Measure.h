//===- Measure.h - the time that probes take --------------------*- C++ -*-===//
//
// Runs probes on threads that are bound to processors. Says how long each took, and whether other
// programs disturbed it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "calibration/Probes.h"
#include "calibration/Sampling.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// The processors that this process could run on when it first asked: a thread that is bound to one
/// may run on no other.
const std::vector<int> &allowedProcessors();

/// Writes to all of so many bytes of new memory. Where the kernel gives small pages, they lie
/// beside each other in physical memory as far as it can: of pages that lie anywhere, each
/// allocation is faster or slower than the next, streams of it by up to 20 %. Where a hypervisor
/// makes such pages slow they lie anywhere.
void settle(void *Begin, std::size_t Bytes);

/// Bytes of unused memory.
std::uint64_t freeMemoryBytes();

/// Cycles a second of the core under the calling thread, over some 50 µs: an addition that
/// waits for the one before takes one cycle on every processor.
double coreClockHz();

/// Those of the first processor, some of them, after 15 ms of warming up. Binds the calling thread.
std::vector<double> clocksNow();

/// What a thread does, \p Iterations times.
using ThreadWork = std::function<void(unsigned Thread, std::uint64_t Iterations)>;

/// What the first thread of a team does right before and after the measured iterations.
struct AroundSample {
  std::function<void()> Begin{}, End{};
};

/// Threads that work at the same time, each on a processor of its own. They stay at work between
/// samples, and until a team of another size is made, as those of a program would: a hypervisor or
/// a kernel puts a thread that has just woken beside another one on the same core, and takes some
/// ms or more to part them.
class Team {
public:
  /// \p Processors has one for each thread at least. Each sample begins with \p WarmUp iterations
  /// that are not measured.
  Team(unsigned Threads, const std::vector<int> &Processors, ThreadWork Work,
       std::uint64_t WarmUp = 0);

  /// Warms up, then does so many iterations with their time taken. The calling thread is the first
  /// of the team, and stays bound to its processor. One team works at a time.
  Timing take(std::uint64_t Iterations, const AroundSample &Around = {}) const;

private:
  std::vector<int> Processors; ///< one for each thread
  ThreadWork Work;
  std::uint64_t WarmUp;
  bool ShareCores;
};

/// A probe with its threads' data, which were written once.
class ProbeRun {
public:
  /// \p Processors has one for each thread at least.
  ProbeRun(const Probe &P, const std::vector<int> &Processors);
  /// Ends the threads and frees their data.
  ~ProbeRun();
  ProbeRun(const ProbeRun &) = delete;
  ProbeRun &operator=(const ProbeRun &) = delete;

  /// False where there was no memory for the data.
  bool ready() const { return Ready; }
  /// One sample of that many iterations on all threads. \p Around is called right before and after.
  Timing take(std::uint64_t Iterations, const AroundSample &Around = {}) const;
  /// Touches each page that the next iterations go through, of a probe in order. Where the kernel
  /// tracks which pages are in use, the first access to a page after a while is slow.
  void touchAhead(std::uint64_t Iterations) const;

private:
  struct Data;
  std::vector<std::unique_ptr<Data>> Threads;
  std::optional<Team> Runs;
  bool Ready = true;
};

/// Measures the bandwidth of loads in order from memory right before and after samples that are
/// taken there.
class MemoryLooks {
public:
  /// \p Take with what they got, where its data are in `dram` and there is memory for a stream of
  /// \p Bytes for each thread beside them, which no cache holds; otherwise, or for 0 bytes, as it
  /// is.
  TakeSample around(const std::string &Level, std::uint64_t Bytes, unsigned Threads,
                    TakeSample Take);

private:
  class Stream;
  std::shared_ptr<const Stream> Last; ///< kept for the next samples of as many threads
};

/// Binds the calling thread to a processor.
void bindTo(int Processor);

} // namespace ergon
