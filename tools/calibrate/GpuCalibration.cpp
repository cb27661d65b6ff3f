//===- GpuCalibration.cpp - a run of all probes of a GPU ------------------===//

#include "tools/calibrate/GpuCalibration.h"
#include "tools/base/Measuring.h"
#include "tools/base/Terminal.h"
#include "tools/calibrate/CalibrationLog.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace ergon {

using cuda::GpuBench;
using cuda::GpuProbe;

/// A probe that is throttled from the start stays so: its work exceeds the power limit.
static constexpr std::size_t EnoughInVain = 3;
/// Between short bursts, and after one that was slowed down: the clock comes back.
static constexpr std::chrono::milliseconds Rest{200};
/// A clock that differs by more is another one.
static constexpr double OtherClock = 0.02;

Error withGpuOption(Error Bad) {
  Bad.File = "--gpu";
  return Bad;
}

bool GpuGoal::reached(const std::vector<double> &Seconds, const std::vector<double> &Watts) const {
  return Seconds.size() >= Least && medianInterval(Seconds).relative() <= TimeRelative &&
         (Watts.empty() || medianInterval(Watts).relative() <= PowerRelative);
}

double expectedSeconds(const GpuBench &Bench, const std::vector<GpuProbe> &Probes,
                       const GpuGoal &Goal) {
  // Before each probe memory is filled, and the length of its launches is found.
  constexpr double Before = 0.2;
  double Result = 0;
  for (const GpuProbe &Probe : Probes)
    Result += Before + 1.2 * double(Goal.Least) * std::max(Bench.meterSeconds(Probe), Goal.BurstS);
  return Result;
}

std::expected<double, Error> warmUp(GpuBench &Bench, const GpuProbe &Probe, const GpuGoal &Goal,
                                    bool &IsSteady) {
  auto Loaded = Bench.load(Probe);
  if (!Loaded)
    return std::unexpected(withGpuOption(Loaded.error()));
  const auto Plan = Bench.plan(Goal.LaunchS, std::max(Bench.meterSeconds(Probe), Goal.BurstS));
  if (!Plan)
    return std::unexpected(withGpuOption(Plan.error()));
  const double End = nowS() + 60;
  double Before = 0, ClockHz = 0;
  int Steady = 0;
  constexpr int EnoughSteady = 3;
  do {
    const auto Took = Bench.burst(*Plan);
    if (!Took)
      return std::unexpected(withGpuOption(Took.error()));
    const double Now = Took->Watts.value_or(Took->ClockHz);
    Steady = std::abs(Now / Before - 1) < 0.01 ? Steady + 1 : 0;
    Before = Now;
    ClockHz = Took->ClockHz;
  } while (Steady < EnoughSteady && nowS() < End && !StopWhenAsked::asked());
  IsSteady = Steady >= EnoughSteady;
  return ClockHz;
}

namespace {
/// Samples one probe after the other.
struct GpuSampler {
  GpuBench &Bench;
  const GpuGoal &Goal;
  double ClockHz;
  GpuLogs &Logs;
  GpuCalibrationResult &Result;
  std::map<std::string, double> Clocks{}; ///< Hz, of a probe's last sample that was dropped

  std::expected<void, Error> sample(const GpuProbe &Probe);
  bool keep(const cuda::Burst &B);
  std::expected<void, Error> checkFree() const;
};
} // namespace

/// False where it is to be dropped, which is counted.
bool GpuSampler::keep(const cuda::Burst &B) {
  ++Result.Attempts;
  if (!B.HeldDownBy.empty()) {
    ++Result.HeldDown;
    ++Result.HeldDownBy[B.HeldDownBy];
    return false;
  }
  if (std::abs(B.ClockChange) > OtherClock || std::abs(B.ClockHz / ClockHz - 1) > OtherClock) {
    ++Result.ClockMoved;
    return false;
  }
  return true;
}

std::expected<void, Error> GpuSampler::checkFree() const {
  constexpr std::size_t EnoughToTell = 20;
  if (Result.Attempts < EnoughToTell || 2 * Result.dropped() <= Result.Attempts)
    return {};
  std::string Why;
  for (const auto &[BS, Times] : Result.HeldDownBy)
    Why += fmt::format(", {} held down by {}", Times, BS);
  return std::unexpected(Error{
      fmt::format("the GPU does not keep its clock: {} of {} samples dropped, {} with a clock that "
                  "moved{}",
                  Result.dropped(), Result.Attempts, Result.ClockMoved, Why),
      "", "stop what else runs on it, let it cool; the same command goes on from here", "--gpu"});
}

std::expected<void, Error> GpuSampler::sample(const GpuProbe &Probe) {
  CalibrationLog &Log = Logs.of(Probe);
  cuda::Counts Units; // of the first sample, in whose terms all are
  std::string Key;
  std::vector<double> Seconds, Watts;
  auto Add = [&](const CalibrationLog::Row &Row) {
    if (Units.empty()) {
      Units = Row.Counts;
      Key = Units.contains(Probe.Measures) ? Probe.Measures : Units.begin()->first;
    }
    const auto Found = Row.Counts.find(Key);
    if (Found == Row.Counts.end())
      return;
    Seconds.push_back(Row.TimeS * Units[Key] / Found->second);
    if (Row.EnergyJ)
      Watts.push_back(*Row.EnergyJ / Row.TimeS);
  };
  if (auto Found = Log.before().find(Probe.Name); Found != Log.before().end())
    for (const CalibrationLog::Row &R : Found->second)
      if (!R.Counts.empty())
        Add(R);
  auto Enough = [&] { return Seconds.size() >= Goal.Most || Goal.reached(Seconds, Watts); };
  // Until there are enough good samples. Those of bursts for the meter have power.
  auto TakeBursts = [&](bool ForMeter) -> std::expected<void, Error> {
    auto Plan = Bench.plan(Goal.LaunchS, ForMeter ? std::max(Bench.meterSeconds(Probe), Goal.BurstS)
                                                  : Goal.BurstS);
    if (!Plan)
      return std::unexpected(withGpuOption(Plan.error()));
    std::size_t InVain = 0;
    for (std::size_t Tries = 0; Tries != 2 * Goal.Most && !Enough() && InVain != EnoughInVain;
         ++Tries) {
      if (StopWhenAsked::asked())
        return std::unexpected(Error{});
      if (!ForMeter || InVain)
        std::this_thread::sleep_for(Rest);
      const auto Took = Bench.burst(*Plan, ForMeter);
      if (!Took)
        return std::unexpected(withGpuOption(Took.error()));
      if (ForMeter && Bench.isMetered(Probe) && !Took->Watts) { // it was over too early
        Plan->Launches += Plan->Launches / 2 + 1;
        continue;
      }
      if (!keep(*Took)) {
        Clocks[Probe.Name] = Took->ClockHz;
        ++InVain;
        if (auto Free = checkFree(); !Free)
          return Free;
        continue;
      }
      InVain = 0;
      CalibrationLog::Row Row{Took->Seconds, {}, {}};
      if (Took->Watts)
        Row.EnergyJ = *Took->Watts * Took->Seconds;
      Row.Counts = Probe.counts(double(Plan->Iterations), double(Plan->Launches));
      if (auto Added = Log.add(Probe.Name, Row.TimeS, Row.EnergyJ, Row.Counts); !Added)
        return Added;
      Add(Row);
    }
    return {};
  };
  if (!Enough()) {
    auto Loaded = Bench.load(Probe);
    if (!Loaded)
      return std::unexpected(withGpuOption(Loaded.error()));
    if (auto Taken = TakeBursts(true); !Taken)
      return Taken;
    // What the power limit slows down soon is measured before it does.
    if (Seconds.empty() && Bench.isMetered(Probe))
      if (auto Taken = TakeBursts(false); !Taken)
        return Taken;
  }
  if (Seconds.size() < std::min<std::size_t>(Goal.Least, 2)) {
    Result.Unmeasured.push_back(Probe.Name);
    return {};
  }
  cuda::GpuMeasured New{&Probe, Units, medianInterval(Seconds), {}};
  if (Watts.size() == Seconds.size())
    New.Watts = medianInterval(Watts);
  else if (Bench.isMetered(Probe))
    Result.TimeAlone[Probe.Name] = Clocks[Probe.Name];
  Result.Outliers += New.Seconds.Outliers;
  if (!Goal.reached(Seconds, Watts))
    Result.Wide.push_back(Probe.Name);
  Result.Probes.push_back(std::move(New));
  return {};
}

std::expected<GpuCalibrationResult, Error> measureGpu(GpuBench &Bench,
                                                      const std::vector<GpuProbe> &Probes,
                                                      const GpuGoal &Goal, double ClockHz,
                                                      GpuLogs &Logs) {
  ProgressBar Bar("calibrate", "probes");
  GpuCalibrationResult Result;
  GpuSampler Sampling{Bench, Goal, ClockHz, Logs, Result};
  for (std::size_t K = 0; K != Probes.size(); ++K) {
    const std::vector<GpuProbe> Left(Probes.begin() + std::ptrdiff_t(K), Probes.end());
    Bar.show(K, Probes.size(), Probes[K].Name, expectedSeconds(Bench, Left, Goal));
    if (auto Taken = Sampling.sample(Probes[K]); !Taken)
      return std::unexpected(Taken.error());
  }
  return Result;
}

} // namespace ergon
