//===- CalibrationEnergy.cpp - the energy half of a calibration -----------===//

#include "tools/CalibrationEnergy.h"
#include "calibration/Measure.h"
#include "tools/CalibrationLog.h"
#include "tools/Measuring.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

namespace ergon {

/// Watts while \p Work runs.
static std::optional<double> wattsDuring(EnergyMeter &Meter, const std::function<void()> &Work) {
  const double Begin = nowS();
  const auto Before = Meter.joules();
  Work();
  const auto After = Meter.joules();
  if (!Before || !After)
    return std::nullopt;
  return (*After - *Before) / (nowS() - Begin);
}

/// So long that a meter's period is a hundredth of it.
static double longEnough(const EnergyMeter &Meter, double Seconds) {
  return std::max(Seconds, 100 * Meter.periodS());
}

std::optional<double> idleWatts(EnergyMeter &Meter, bool IsQuick) {
  if (!Meter.isThere())
    return std::nullopt;
  const std::chrono::duration<double> For(longEnough(Meter, IsQuick ? 0.2 : 2));
  return wattsDuring(Meter, [&] { std::this_thread::sleep_for(For); });
}

/// All threads at what does most, until power is steady: half a second each time, a minute at most.
static WarmUp warmUpWith(const std::vector<Probe> &Probes, EnergyMeter &Meter, bool IsQuick) {
  const Probe *Most = nullptr;
  for (const Probe &Each : Probes)
    if (Each.Level.empty() && (!Most || std::pair(Each.Threads, Each.Of->Bits) >
                                            std::pair(Most->Threads, Most->Of->Bits)))
      Most = &Each;
  if (!Most)
    return {};
  ProbeRun Run(*Most, allowedProcessors());
  const double BlockS = longEnough(Meter, IsQuick ? 0.1 : 0.5);
  const std::uint64_t Iterations =
      iterationsFor(BlockS, [&](std::uint64_t N) { return Run.take(N); });
  return warmUp(
      [&] {
        if (StopWhenAsked::asked())
          return 1.0;
        return wattsDuring(Meter, [&] { Run.take(Iterations); }).value_or(0);
      },
      IsQuick ? 5 : 120);
}

static TakeEnergy openProbe(const Probe &Of, EnergyMeter &Meter) {
  const auto Run = std::make_shared<ProbeRun>(Of, allowedProcessors());
  if (!Run->ready())
    return {};
  return [Run, &Meter](std::uint64_t Iterations) {
    std::optional<double> Before, After;
    EnergySample Result{Run->take(Iterations, {.Begin = [&] { Before = Meter.joules(); },
                                               .End = [&] { After = Meter.joules(); }}),
                        std::nullopt};
    if (Before && After)
      Result.Joules = *After - *Before;
    return Result;
  };
}

static std::vector<EnergyRow> earlierRows(const std::vector<Probe> &Probes,
                                          const CalibrationLog &Log) {
  std::vector<EnergyRow> Result;
  for (const Probe &Each : Probes)
    if (const auto Found = Log.before().find(Each.Name); Found != Log.before().end())
      for (const CalibrationLog::Row &Row : Found->second)
        if (Row.EnergyJ)
          Result.push_back({Each.Name, Row.TimeS, *Row.EnergyJ, Row.Counts});
  return Result;
}

std::expected<EnergyHalf, Error> measureEnergies(const std::vector<Probe> &All, EnergyMeter &Meter,
                                                 const std::string &Profile, double CoreHz,
                                                 unsigned LineBytes, bool IsQuick) {
  EnergyHalf Result;
  Result.Meter = Meter.name();
  if (!Meter.isThere()) {
    Result.Why = Meter.why();
    return Result;
  }
  const std::vector<Probe> Probes = energyProbes(All);
  auto Log = CalibrationLog::open(
      std::filesystem::path(Profile).replace_extension(".energy.json").string(), pricedClasses(),
      CoreHz * 1e-6);
  if (!Log)
    return std::unexpected(Log.error());
  const StopWhenAsked Stop;
  ProgressBar Bar;
  Result.Warm = warmUpWith(All, Meter, IsQuick);
  std::expected<void, Error> Kept;
  const EnergyHooks Hooks = {
      .Open = [&](const Probe &Of) { return openProbe(Of, Meter); },
      .Keep =
          [&](const EnergyRow &Row) {
            Kept = Log->add(Row.Workload, Row.Seconds, Row.Joules, Row.Counts);
            return Kept.has_value();
          },
      .Stop = StopWhenAsked::asked,
      .Show =
          [&](const Progress &At) {
            Bar.show(At.Done, At.Of, At.LeftS, "energy: " + At.Next->Name);
          },
  };
  Result.Samples = sampleEnergies(Probes, earlierRows(Probes, *Log),
                                  energyGoal(Meter.periodS(), IsQuick), LineBytes, Hooks);
  Bar.clear();
  StopWhenAsked::stopIfAsked();
  if (!Kept)
    return std::unexpected(Kept.error());
  if (Result.Samples.End == CampaignEnd::TooBusy)
    return std::unexpected(tooBusy(Result.Samples.Attempts, Result.Samples.Useless));
  if (Result.Samples.MeterEnded) {
    Result.Why = Meter.why();
    return Result;
  }
  Result.IdleAfterW = idleWatts(Meter, IsQuick);
  auto Fit = fitEnergies(Result.Samples.Rows, CoreHz * 1e-6);
  if (!Fit) {
    Result.Why = Fit.error();
    return Result;
  }
  Result.Fit = std::move(*Fit);
  const auto File = Log->finish();
  if (!File)
    return std::unexpected(File.error());
  Result.File = *File;
  return Result;
}

} // namespace ergon
