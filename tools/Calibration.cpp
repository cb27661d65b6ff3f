//===- Calibration.cpp - a run of all probes ------------------------------===//

#include "tools/Calibration.h"
#include "tools/CalibrationLog.h"
#include "tools/Sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ergon {

namespace {
/// Samples one probe after the other.
struct ProbeSampler {
  const SamplingGoal &Goal;
  unsigned LineBytes;
  Sampler &Take;
  CalibrationLog &Log;
  CalibrationResult &Into;

  std::expected<std::vector<double>, Error> earlier(const Probe &Of) const;
  std::expected<void, Error> sample(const Probe &Of);
};
} // namespace

/// Seconds of an iteration in the samples that are there already.
std::expected<std::vector<double>, Error> ProbeSampler::earlier(const Probe &Of) const {
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

std::expected<void, Error> ProbeSampler::sample(const Probe &Of) {
  auto Seconds = earlier(Of);
  if (!Seconds)
    return std::unexpected(Seconds.error());
  if (!Goal.reached(*Seconds) && Seconds->size() < Goal.Most) {
    const ProbeRun Run(Of, allowedProcessors());
    const std::uint64_t Iterations = Run.ready() ? Run.team().iterationsFor(Goal.SampleS) : 0;
    const auto Counts = Of.counts(Iterations, LineBytes);
    if (Run.ready())
      if (auto Taken = Take.sample(Run.team(), Iterations, *Seconds,
                                   [&](double TimeS) { return Log.add(Of.Name, TimeS, Counts); });
          !Taken)
        return Taken;
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
  Sampler Take(Goal, middleOf(Result.ClockHz).Median);
  ProbeSampler Probing{Goal, LineBytes, Take, Log, Result};
  double LeftS = 0;
  for (const Probe &Each : Probes)
    LeftS += expectedSeconds(Each, Goal);
  for (std::size_t K = 0; K != Probes.size(); ++K) {
    Bar.show(K, Probes.size(), LeftS, Probes[K].Name);
    if (auto Taken = Probing.sample(Probes[K]); !Taken) {
      if (!StopWhenAsked::asked())
        return std::unexpected(Taken.error());
      Bar.clear();
      fmt::print(stderr, "ergon: interrupted; the same command goes on from here\n");
      StopWhenAsked::stop();
    }
    LeftS -= expectedSeconds(Probes[K], Goal);
  }
  Result.Preempted = Take.preempted();
  Result.ClockMoved = Take.clockMoved();
  Result.Mixed = predictMixed(Result.Probes);
  return Result;
}

} // namespace ergon
