//===- CalibrationEnergy.cpp - the energy half of a calibration -----------===//

#include "tools/calibrate/CalibrationEnergy.h"
#include "calibration/Measure.h"
#include "tools/base/Measuring.h"
#include "tools/base/Terminal.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>
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
  const std::chrono::duration<double> D(longEnough(Meter, IsQuick ? 0.2 : 2));
  return wattsDuring(Meter, [&] { std::this_thread::sleep_for(D); });
}

/// Runs the most power-hungry probe on all threads until power is steady: half a second each time,
/// at most a minute.
static WarmUp warmUpWith(const std::vector<Probe> &Probes, EnergyMeter &Meter, bool IsQuick) {
  const Probe *Most = nullptr;
  for (const Probe &P : Probes)
    if (P.Level.empty() &&
        (!Most || std::pair(P.Threads, P.Code->Bits) > std::pair(Most->Threads, Most->Code->Bits)))
      Most = &P;
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

static TakeEnergy openProbe(const Probe &P, EnergyMeter &Meter, std::optional<double> ClockHz) {
  const auto Run = std::make_shared<ProbeRun>(P, allowedProcessors());
  if (!Run->ready())
    return {};
  return [Run, &Meter, ClockHz](std::uint64_t Iterations) {
    std::optional<double> Before, After;
    EnergySample Result{Run->take(Iterations, {.Begin = [&] { Before = Meter.joules(); },
                                               .End = [&] { After = Meter.joules(); }}),
                        std::nullopt};
    if (ClockHz)
      Result.Time = heldAt(*ClockHz, Result.Time);
    if (Before && After)
      Result.Joules = *After - *Before;
    return Result;
  };
}

std::expected<void, Error> EnergyCalibration::open(const std::string &Profile,
                                                   const std::vector<double> &ClocksMhz) {
  Result.Meter = Meter.name();
  if (!Meter.isThere()) {
    Result.Why = Meter.why();
    return {};
  }
  auto Opened = CalibrationLog::open(
      std::filesystem::path(Profile).replace_extension(".energy.json").string(), pricedClasses(),
      ClocksMhz);
  if (!Opened)
    return std::unexpected(Opened.error());
  Log = std::move(*Opened);
  return {};
}

/// The samples that are there already.
std::vector<EnergyRow> EnergyCalibration::earlier(const std::vector<Probe> &Probes) {
  std::vector<EnergyRow> Rows;
  for (const Probe &P : Probes)
    if (const auto Found = Log->before().find(P.Name); Found != Log->before().end())
      for (const CalibrationLog::Row &Row : Found->second)
        if (Row.EnergyJ && !Row.Counts.empty()) {
          Rows.push_back({P.Name, Row.TimeS, *Row.EnergyJ, Row.Counts, 0});
          const auto Counts = P.counts(1, LineBytes);
          const auto &[Class, Units] = *Row.Counts.begin();
          if (const auto Position = Counts.find(Class); Position != Counts.end())
            Sizes.try_emplace(P.Name, std::llround(Units / Position->second));
        }
  return Rows;
}

/// Those of one more clock.
void EnergyCalibration::add(EnergyResult ER, double CoreMhz) {
  EnergyResult &Target = Result.Samples;
  static_cast<SampleTotals &>(Target) += ER;
  for (EnergyRow &Row : ER.Rows) {
    Row.CoreMhz = CoreMhz;
    Target.Rows.push_back(std::move(Row));
  }
  const bool IsFirst = CoreMhz == Log->clocksMhz().front();
  for (auto List : {&EnergyResult::Wide, &EnergyResult::Unmeasured, &EnergyResult::Disturbed})
    for (const std::string &Name : ER.*List)
      (Target.*List).push_back(IsFirst ? Name : fmt::format("{} at {:.0f} MHz", Name, CoreMhz));
}

std::expected<void, Error> EnergyCalibration::measure(double CoreMhz, bool IsSet, double Longer) {
  if (!Log || !Result.Why.empty())
    return {};
  Log->setCoreMhz(CoreMhz);
  const std::vector<Probe> Probes = energyProbes(All);
  Result.Warm = warmUpWith(All, Meter, IsQuick);
  EnergyGoal Goal = energyGoal(Meter.periodS(), IsQuick);
  Goal.SampleS *= Longer;
  Goal.RoundS *= Longer;
  ProgressBar Bar("calibrate", "probes");
  std::expected<void, Error> Kept;
  const EnergyHooks Hooks = {
      .Open =
          [&](const Probe &P) {
            return openProbe(P, Meter, IsSet ? std::optional(CoreMhz * 1e6) : std::nullopt);
          },
      .Keep =
          [&](const EnergyRow &Row) {
            Kept = Log->add(Row.Workload, Row.Seconds, Row.Joules, Row.Counts);
            return Kept.has_value();
          },
      .Stop = StopWhenAsked::asked,
      .Show =
          [&](const Progress &Position) {
            Bar.show(Position.Done, Position.Index, "energy: " + Position.Next->Name,
                     Position.LeftS);
          },
      .Sizes = &Sizes,
  };
  EnergyResult Found = sampleEnergies(Probes, earlier(Probes), Goal, LineBytes, Hooks);
  if (!Kept)
    return std::unexpected(Kept.error());
  if (StopWhenAsked::asked())
    return std::unexpected(Error{});
  if (Found.End == CampaignEnd::TooBusy)
    return std::unexpected(tooBusy(Found, "goes on from here"));
  if (Found.MeterEnded)
    Result.Why = Meter.why();
  add(std::move(Found), CoreMhz);
  ++NumMeasured;
  return {};
}

std::expected<EnergyHalf, Error> EnergyCalibration::conclude() {
  if (!Result.Why.empty())
    return std::move(Result);
  Result.IdleAfterW = idleWatts(Meter, IsQuick);
  std::set<double> Clocks;
  for (const EnergyRow &Row : Result.Samples.Rows)
    Clocks.insert(Row.CoreMhz);
  if (NumMeasured > 1 && Clocks.size() == 1) {
    Result.Why = fmt::format("they could be measured at {:.0f} MHz alone", *Clocks.begin());
    return std::move(Result);
  }
  auto Fit = fitEnergies(Result.Samples.Rows);
  if (!Fit) {
    Result.Why = Fit.error().What;
    return std::move(Result);
  }
  Result.Fit = std::move(*Fit);
  const auto File = Log->finish();
  if (!File)
    return std::unexpected(File.error());
  Result.File = *File;
  return std::move(Result);
}

} // namespace ergon
