//===- Calibration.cpp - a run of all probes ------------------------------===//

#include "tools/Calibration.h"
#include "tools/CalibrationLog.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <thread>

#include <unistd.h>

namespace ergon {

/// The signal that asks to stop, or 0.
static volatile std::sig_atomic_t Asked = 0;

namespace {
/// While this lives, SIGINT and SIGTERM are noted, and do what they did before afterwards.
class StopWhenAsked {
public:
  StopWhenAsked() {
    for (int K = 0; K != 2; ++K)
      Were[K] = std::signal(Signals[K], [](int Number) { Asked = Number; });
    // A file that may not grow is told as an error of writing.
    std::signal(SIGXFSZ, SIG_IGN);
  }
  ~StopWhenAsked() {
    for (int K = 0; K != 2; ++K)
      std::signal(Signals[K], Were[K]);
  }

private:
  static constexpr int Signals[2] = {SIGINT, SIGTERM};
  void (*Were[2])(int);
};

/// A line on a terminal that is written over.
class ProgressBar {
public:
  ~ProgressBar() { clear(); }
  void show(std::size_t Done, std::size_t Of, double LeftS, const std::string &Name) {
    if (!IsTerminal)
      return;
    constexpr std::size_t Width = 24;
    const std::size_t Full = Of ? Done * Width / Of : Width;
    fmt::print(stderr, "\r\033[K[{}{}] {}/{}  {:.0f} s left  {}", std::string(Full, '#'),
               std::string(Width - Full, ' '), Done, Of, LeftS, Name);
    std::fflush(stderr);
  }
  void clear() {
    if (IsTerminal)
      fmt::print(stderr, "\r\033[K");
  }

private:
  bool IsTerminal = isatty(STDERR_FILENO);
};

/// Takes samples of one probe after the other.
struct Sampler {
  const SamplingGoal &Goal;
  unsigned LineBytes;
  double ClockHz;
  CalibrationLog &Log;
  CalibrationResult &Into;
  std::size_t Attempts = 0;

  std::expected<std::vector<double>, Error> earlier(const Probe &Of) const;
  std::expected<void, Error> sample(const Probe &Of);
  std::expected<void, Error> checkIdle() const;
};
} // namespace

/// Seconds of an iteration in the samples that are there already.
std::expected<std::vector<double>, Error> Sampler::earlier(const Probe &Of) const {
  std::vector<double> Result;
  const auto Found = Log.before().find(Of.Name);
  if (Found == Log.before().end())
    return Result;
  const auto [Class, Units] = *Of.counts(1, LineBytes).begin();
  for (const CalibrationLog::Row &Each : Found->second) {
    const auto Count = Each.Counts.find(Class);
    const double Iterations = Count == Each.Counts.end() ? 0 : Count->second / Units;
    if (Iterations < 1 || std::abs(Iterations - std::round(Iterations)) > 1e-6 * Iterations)
      return std::unexpected(Error{"the samples of " + Of.Name + " are of another probe", "",
                                   "remove the file of samples to begin anew", ""});
    Result.push_back(Each.TimeS / Iterations);
  }
  return Result;
}

std::expected<void, Error> Sampler::checkIdle() const {
  const std::size_t Dropped = Into.Preempted + Into.ClockMoved;
  constexpr std::size_t EnoughToTell = 400; // some seconds
  if (Attempts < EnoughToTell || 2 * Dropped <= Attempts)
    return {};
  return std::unexpected(Error{
      fmt::format("the machine is too busy to measure: {} of {} samples dropped, {} with something "
                  "else on the processor and {} with a clock that moved",
                  Dropped, Attempts, Into.Preempted, Into.ClockMoved),
      "", "stop what else runs; the same command goes on from here", ""});
}

std::expected<void, Error> Sampler::sample(const Probe &Of) {
  auto Seconds = earlier(Of);
  if (!Seconds)
    return std::unexpected(Seconds.error());
  if (!Goal.reached(*Seconds) && Seconds->size() < Goal.Most) {
    const ProbeRun Run(Of, allowedProcessors());
    const std::uint64_t Iterations = Run.ready() ? Run.iterationsFor(Goal.SampleS) : 0;
    const auto Counts = Of.counts(Iterations, LineBytes);
    for (std::size_t Tries = 0; Run.ready() && Tries != Goal.Attempts; ++Tries) {
      if (Asked)
        return std::unexpected(Error{});
      const Timing Took = Run.take(Iterations, ClockHz);
      ++Attempts;
      if (Took.Was != Verdict::Good) {
        ++(Took.Was == Verdict::Preempted ? Into.Preempted : Into.ClockMoved);
        if (auto Idle = checkIdle(); !Idle)
          return Idle;
        // Who has slept is not the first to be preempted again.
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        continue;
      }
      if (auto Added = Log.add(Of.Name, Took.Seconds, Counts); !Added)
        return Added;
      Seconds->push_back(Took.Seconds / double(Iterations));
      if (Goal.reached(*Seconds) || Seconds->size() >= Goal.Most)
        break;
    }
  }
  if (Seconds->size() < Goal.Least) {
    Into.Unmeasured.push_back(Of.Name);
    return {};
  }
  const Middle Found = middleOf(*Seconds);
  Into.Outliers += Found.Outliers;
  if (Found.relative() > Goal.Relative)
    Into.Wide.push_back(Of.Name);
  Into.Probes.push_back({&Of, Found});
  return {};
}

double expectedSeconds(const Probe &Of, const SamplingGoal &Goal) {
  // A core moves some 10 GB/s from and to memory.
  const double Pass = double(Of.Bytes) * (Of.Of->Reads + Of.Of->Writes) / 10e9;
  return 1.5 * double(Goal.Least) * (Pass + std::max(Goal.SampleS, Pass));
}

std::expected<CalibrationResult, Error> measureAll(const std::vector<Probe> &Probes,
                                                   const SamplingGoal &Goal, unsigned LineBytes,
                                                   std::vector<double> ClockHz,
                                                   CalibrationLog &Log) {
  const StopWhenAsked Stop;
  ProgressBar Bar;
  CalibrationResult Result;
  Result.ClockHz = std::move(ClockHz);
  Sampler Take{Goal, LineBytes, middleOf(Result.ClockHz).Median, Log, Result};
  double LeftS = 0;
  for (const Probe &Each : Probes)
    LeftS += expectedSeconds(Each, Goal);
  for (std::size_t K = 0; K != Probes.size(); ++K) {
    Bar.show(K, Probes.size(), LeftS, Probes[K].Name);
    if (auto Taken = Take.sample(Probes[K]); !Taken) {
      if (!Asked)
        return std::unexpected(Taken.error());
      Bar.clear();
      fmt::print(stderr, "ergon: interrupted; the same command goes on from here\n");
      std::signal(Asked, SIG_DFL);
      std::raise(Asked);
    }
    LeftS -= expectedSeconds(Probes[K], Goal);
  }
  Result.Mixed = predictMixed(Result.Probes);
  return Result;
}

} // namespace ergon
