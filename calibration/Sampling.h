//===- Sampling.h - when there are enough samples ---------------*- C++ -*-===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ergon {

/// Seconds since some moment, by a clock that is never set.
double nowS();

/// The median of samples, and the 95 % confidence interval of the median of all possible samples.
struct MedianInterval {
  double Median = 0, Low = 0, High = 0;
  std::size_t Samples = 0, Outliers = 0; ///< that were used; that were not
  /// Half the interval's width relative to the median.
  double relative() const { return (High - Low) / 2 / Median; }
};

/// Leaves out what is farther from the median than five standard deviations, these estimated
/// from the median of the distances (1.4826 of it, for normal errors). The interval is of order
/// statistics: whatever the distribution, n/2 ± 0.98·√n of n sorted samples enclose its median
/// (binomial, normal approximation). Fewer than 6 give their extremes, which is less than 95 %.
/// \p Values must not be empty.
MedianInterval medianInterval(std::vector<double> Values);

/// How precisely a probe is measured.
struct SamplingGoal {
  double SampleS = 5e-4;             ///< a sample takes so long at least
  double Relative = 0.01;            ///< the interval is to be so tight
  std::size_t Least = 10, Most = 60; ///< samples that are good
  std::size_t Attempts = 100;        ///< in a round, good ones and those that are dropped
  double RoundS = 0.25;              ///< a round of one probe takes no longer, whatever comes
  unsigned Rounds = 5;               ///< what is not tight is sampled again, so often at most

  /// Whether there are enough samples and the confidence interval of their median is narrow enough.
  bool reached(const std::vector<double> &Values) const {
    return Values.size() >= Least && medianInterval(Values).relative() <= Relative;
  }
};

/// The goal of a coarse run of some seconds.
inline constexpr SamplingGoal QuickGoal = {5e-4, 0.05, 4, 6, 20, 0.25, 1};

/// A sample, and the signs that other programs disturbed it.
struct Timing {
  /// From the first thread's start to the last one's end; of flushed data without the flushes.
  double Seconds = 0;
  double Waited = 0;    ///< the largest share of it in which a thread had no processor
  double ClockHz = 0;   ///< before and after, the mean of all threads
  double ClockMove = 0; ///< the largest |after/before - 1|
  /// Additions in a cycle, right before and after: the fewest of a thread. 0 where the kernel says
  /// that threads share cores, or where this was not measured.
  double PerCycle = 0;
  unsigned Threads = 1;
  /// Bytes per second that a stream of loads got from memory, before and after; 0 where this was
  /// not measured.
  double MemoryPerS = 0;
};

/// With a larger share another thread was on the core: two threads have about half each.
inline constexpr double MostCoreShared = 0.05;

/// How much of a core others have, by the additions in a cycle: fewer than the most that this
/// process has seen. Only a hypervisor may know of a thread on the same core.
class CoreWatch {
public:
  /// Takes note of a sample's additions per cycle.
  void see(double PerCycle);
  /// The part of a core that others had; 0 for 0.
  double shared(double PerCycle) const;
  /// Whether another thread had a part of the core.
  bool isShared(double PerCycle) const { return shared(PerCycle) > MostCoreShared; }

private:
  std::vector<double> Seen; ///< sorted down
  double most() const;
};

/// That of this process.
CoreWatch &theCores();

/// A larger relative change of the bandwidth means that others use the memory, or no longer do.
inline constexpr double MostMemoryMove = 0.1;

/// Whether memory has its usual bandwidth. Nothing else shows whether other cores of the package or
/// other guests of the host use it.
class MemoryWatch {
public:
  /// Takes note of a stream of \p Threads threads that got \p PerS bytes per second.
  void see(unsigned Threads, double PerS);
  /// The usual bandwidth of a stream of that many threads; nothing where it was not measured.
  std::optional<double> usual(unsigned Threads) const;
  /// |measured / usual - 1|; 0 where it was not measured.
  double moved(const Timing &T) const;
  /// Whether the bandwidth of a sample's memory differs too much from the usual one.
  bool isAnother(const Timing &T) const { return moved(T) > MostMemoryMove; }
  /// All that was seen, lowest first.
  const std::map<unsigned, std::vector<double>> &seen() const { return Seen; }

private:
  std::map<unsigned, std::vector<double>> Seen; ///< by threads, sorted
};

/// That of this process.
MemoryWatch &theMemory();

/// A sample without a processor for a larger share of its time counts as preempted.
inline constexpr double MostWaited = 0.005;

/// Clocks that differ by more count as different.
inline constexpr double MostClockMove = 0.02;

enum class Verdict {
  Good,
  Preempted,   ///< a thread had no processor for 0.5 % of the time
  ClockMoved,  ///< by more than 2 %, or it was another than that of most samples
  CoreShared,  ///< another thread was on the core
  MemoryMoved, ///< memory was 10 % faster or slower than it mostly is
};

struct Classification {
  std::vector<Verdict> Verdicts;
  double ClockHz = 0; ///< of most samples
};

/// A sample that was meant to be taken at this clock. One at another clock counts as fully
/// disturbed.
Timing heldAt(double ClockHz, Timing T);

/// The verdicts on samples of one probe, taken one after the other. The clock is the median of
/// those that were not disturbed: code may run at another one than code before it. \p Timings must
/// not be empty.
Classification classify(const std::vector<Timing> &Timings);

/// Takes a sample of so many iterations.
using TakeSample = std::function<Timing(std::uint64_t Iterations)>;

/// Iterations of a probe's samples by its name: a workload is the same at every clock, by which its
/// samples can be told from those of other clocks (model/fit/EffectiveClocks.h).
using SampleSizes = std::map<std::string, std::uint64_t>;

/// How many iterations take \p Seconds at least.
std::uint64_t iterationsFor(double Seconds, const TakeSample &Take);

/// Samples of a round. It ends when its good samples and \p Good, seconds of an iteration, are
/// enough together, when the round's time is over, or when \p Stop says so.
std::vector<Timing> takeRound(const TakeSample &Take, std::uint64_t Iterations,
                              const SamplingGoal &Goal, const std::vector<double> &Good,
                              const std::function<bool()> &Stop);

/// A sample with more disturbance than this is not used at all.
inline constexpr double MostDisturbance = 0.1;

/// How far the time of a sample that was preempted or whose clock moved can be from the undisturbed
/// one, relative to it.
double disturbance(const Timing &T, double ClockHz);

/// Whether almost no sample can be used, because too many of them were disturbed more than that.
bool isTooBusy(std::size_t Attempts, std::size_t Useless);

/// Counts of what became of the samples of many probes.
struct SampleTotals {
  /// Samples; those that were dropped.
  std::size_t Attempts = 0, Preempted = 0, ClockMoved = 0, CoreShared = 0, MemoryMoved = 0;
  /// Of those, with another thread on the core, or disturbed by more than MostDisturbance
  /// otherwise; another memory is no fault of the processor.
  std::size_t Useless = 0;

  /// Counts one more sample by what became of it, or those of another probe.
  void add(Verdict V);
  SampleTotals &operator+=(const SampleTotals &Totals);
  /// Samples that were not used, for any of the reasons.
  std::size_t dropped() const { return Preempted + ClockMoved + CoreShared + MemoryMoved; }
};

/// The samples of one probe.
class SampleSet {
public:
  SampleSet() = default;
  /// \p Good are there already: seconds of an iteration.
  explicit SampleSet(const std::vector<double> &Good) {
    for (double Seconds : Good)
      this->Good.push_back({Seconds, {}});
  }

  struct Added {
    double ClockHz = 0;          ///< of most samples
    std::vector<double> Seconds; ///< of the samples that are good
  };
  /// Judges new samples and keeps the good ones; what became of each is added to \p Target. Times
  /// are of one of \p Iterations.
  Added add(const std::vector<Timing> &Taken, std::uint64_t Iterations, SampleTotals &Target);

  /// Seconds of an iteration, of samples that are good by what is known of cores and memory now.
  std::vector<double> good() const;
  /// Whether the good samples reach the goal.
  bool isEnough(const SamplingGoal &Goal) const;

  struct Found {
    MedianInterval Seconds; ///< of an iteration
    bool IsDisturbed = false;
    double ClockHz = 0; ///< of most good samples; 0 where it is not known
  };
  /// Where there are too few good samples, the least disturbed of the others are used too, and the
  /// interval is widened by their disturbance. Nothing where there are still too few.
  std::optional<Found> conclude(const SamplingGoal &Goal) const;

private:
  struct Sample {
    double Seconds; ///< of an iteration
    Timing Raw;
  };
  std::vector<Sample> Good;
  /// Disturbed samples: how much, and seconds of an iteration.
  std::vector<std::pair<double, double>> Rest;
};

} // namespace ergon
