//===- Calibration.cpp - a run of all probes ------------------------------===//

#include "tools/calibrate/Calibration.h"
#include "predict/text/Text.h"
#include "tools/base/Measuring.h"
#include "tools/base/Terminal.h"
#include "tools/calibrate/ClockSweep.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <utility>

namespace ergon {

namespace {
/// Takes samples of times.
class Times {
public:
  Times(const CalibrationPlan &Plan, CalibrationLog &Log) : Plan(Plan), Log(Log) {}
  /// At the clock that is set.
  std::expected<CampaignResult, Error> measure(double ClockHz, const SamplingGoal &Goal);

private:
  using Seconds = std::map<std::string, std::vector<double>>;
  const CalibrationPlan &Plan;
  CalibrationLog &Log;
  SampleSizes Sizes;

  std::expected<Seconds, Error> earlier();
};
} // namespace

/// Seconds of an iteration in the samples that are there already.
std::expected<Times::Seconds, Error> Times::earlier() {
  Seconds Result;
  for (const Probe &P : Plan.Probes) {
    const auto Found = Log.before().find(P.Name);
    if (Found == Log.before().end())
      continue;
    const auto [Class, Units] = *P.counts(1, Plan.LineBytes).begin();
    for (const CalibrationLog::Row &Row : Found->second) {
      const auto Count = Row.Counts.find(Class);
      const double Iterations = Count == Row.Counts.end() ? 0 : Count->second / Units;
      if (Iterations < 1 || std::abs(Iterations - std::round(Iterations)) > 1e-6 * Iterations)
        return std::unexpected(Error{"the samples of " + P.Name + " are of another probe", "",
                                     "remove the file of samples to begin anew", ""});
      Result[P.Name].push_back(Row.TimeS / Iterations);
      Sizes.try_emplace(P.Name, std::llround(Iterations));
    }
  }
  return Result;
}

/// The bytes of a thread's streams from main memory; 0 where none is measured.
static std::uint64_t bytesBeyondCaches(const std::vector<Probe> &All, unsigned Threads) {
  std::uint64_t Result = 0;
  for (const Probe &P : All)
    if (P.Level == "dram" && P.Threads == Threads && !P.IsFlushed)
      Result = std::max(Result, P.Bytes * (P.Code->Reads + P.Code->Writes));
  return Result;
}

std::expected<CampaignResult, Error> Times::measure(double ClockHz, const SamplingGoal &Goal) {
  const auto Earlier = earlier();
  if (!Earlier)
    return std::unexpected(Earlier.error());
  theMemory() = MemoryWatch(); // at another clock it may be another one
  MemoryLooks Memory;
  ProgressBar Bar("calibrate", "probes");
  std::expected<void, Error> Kept;
  const CampaignHooks Hooks = {
      .Open = [&](const Probe &Next) -> TakeSample {
        const auto Run = std::make_shared<ProbeRun>(Next, allowedProcessors());
        if (!Run->ready())
          return {};
        const TakeSample Take =
            Memory.around(Next.Level, bytesBeyondCaches(Plan.Probes, Next.Threads), Next.Threads,
                          [Run](std::uint64_t Iterations) { return Run->take(Iterations); });
        return [&, Take](std::uint64_t Iterations) {
          const Timing Taken = Take(Iterations);
          return Plan.Sweep ? heldAt(ClockHz, Taken) : Taken;
        };
      },
      .Keep =
          [&](const Probe &From, std::uint64_t Iterations, const std::vector<double> &Taken) {
            const auto Counts = From.counts(Iterations, Plan.LineBytes);
            for (std::size_t K = 0; K != Taken.size() && Kept; ++K)
              Kept = Log.add(From.Name, Taken[K], std::nullopt, Counts);
            return Kept.has_value();
          },
      .Stop = StopWhenAsked::asked,
      .Show =
          [&](const Progress &P) {
            const std::string Clock =
                Plan.Sweep ? fmt::format("{:.0f} MHz: ", Log.coreMhz()) : std::string();
            Bar.show(P.Done, P.Index, Clock + (P.Round ? "again: " : "") + P.Next->Name, P.LeftS);
          },
      .Sizes = &Sizes,
  };
  CampaignResult Result = sampleAll(Plan.Probes, *Earlier, Goal, ClockHz, Hooks);
  if (!Kept)
    return std::unexpected(Kept.error());
  if (Result.End == CampaignEnd::Stopped)
    return std::unexpected(Error{});
  if (Result.End == CampaignEnd::TooBusy)
    return std::unexpected(tooBusy(Result, "goes on from here"));
  return Result;
}

SamplingGoal longer(SamplingGoal Goal, double Times) {
  Goal.SampleS *= Times; // of which there is room for enough in a round
  return Goal;
}

double clockAtWork() {
  const std::vector<int> &Where = allowedProcessors();
  const Team All(unsigned(Where.size()), Where, [](unsigned, std::uint64_t Looks) {
    while (Looks--)
      coreClockHz();
  });
  All.take(200); // the clock may take some ms to change
  std::vector<double> Hz;
  for (int K = 0; K != 11; ++K)
    Hz.push_back(All.take(10).ClockHz);
  return medianInterval(Hz).Median;
}

/// All classes that one of the probes counts.
static std::vector<std::string> classesOf(const std::vector<Probe> &Probes, unsigned LineBytes) {
  std::set<std::string> Result;
  for (const Probe &P : Probes)
    for (const auto &[Class, Units] : P.counts(1, LineBytes))
      Result.insert(Class);
  return {Result.begin(), Result.end()};
}

namespace {
/// Times and energies, at one clock after the other.
class Calibration {
public:
  Calibration(const CalibrationPlan &Plan, EnergyMeter &Meter, CalibrationLog &Log)
      : Plan(Plan), Log(Log), TimesResult(Plan, Log),
        Energies(Plan.Probes, Meter, Plan.LineBytes, Plan.IsQuick) {}
  std::expected<CalibrationResult, Error> run(std::vector<double> ClockHz);

private:
  const CalibrationPlan &Plan;
  CalibrationLog &Log;
  Times TimesResult;
  EnergyCalibration Energies;
  CalibrationResult Result;

  std::expected<void, Error> sweep();
  std::expected<void, Error> measure(double Mhz, double ClockHz);
  Error nothingMeasured() const;
  void addScalings();
};
} // namespace

std::expected<CalibrationResult, Error> Calibration::run(std::vector<double> ClockHz) {
  Result.ClockHz = std::move(ClockHz);
  auto Well = Energies.open(Plan.Profile, Log.clocksMhz());
  if (Well)
    Well = Plan.Sweep ? sweep() : measure(Log.coreMhz(), medianInterval(Result.ClockHz).Median);
  if (!Well)
    return std::unexpected(Well.error());
  if (Result.Probes.empty())
    return std::unexpected(nothingMeasured());
  if (!Plan.Sweep)
    if (std::vector<double> Clocks = bringToOneClock(Result.Probes); !Clocks.empty())
      Result.ClockHz = std::move(Clocks);
  Result.Mixed = predictMixed(Result.Probes);
  addScalings();
  auto Half = Energies.conclude();
  if (!Half)
    return std::unexpected(Half.error());
  Result.Energy = std::move(*Half);
  return std::move(Result);
}

std::expected<void, Error> Calibration::sweep() {
  for (double Mhz : Log.clocksMhz()) {
    Log.setCoreMhz(Mhz);
    const auto Why = Plan.Sweep->set(Mhz);
    if (!Why)
      return std::unexpected(Why.error());
    if (!Why->empty()) {
      Result.NotTaken[Mhz] = *Why;
      continue;
    }
    if (Result.SettingsMhz.empty())
      Result.ClockHz = clocksNow();
    if (auto Measured = measure(Mhz, Mhz * 1e6); !Measured)
      return Measured;
  }
  return Plan.Sweep->restore();
}

/// At the clock that the machine has now.
std::expected<void, Error> Calibration::measure(double Mhz, double ClockHz) {
  // The same work takes longer at slower clocks.
  const double Longer = Result.SettingsMhz.empty() ? 1 : Result.SettingsMhz.front() / Mhz;
  auto Found = TimesResult.measure(ClockHz, longer(Plan.Goal, Longer));
  if (!Found)
    return std::unexpected(Found.error());
  if (Found->Probes.empty()) {
    Result.NotTaken[Mhz] = "no probe has enough good samples";
    return {};
  }
  if (Result.SettingsMhz.empty())
    static_cast<CampaignResult &>(Result) = std::move(*Found);
  else
    Result.Others[Mhz] = std::move(*Found);
  Result.SettingsMhz.push_back(Mhz);
  return Energies.measure(Mhz, Plan.Sweep != nullptr, Longer);
}

/// Why there is nothing to make a profile of.
Error Calibration::nothingMeasured() const {
  if (!Plan.Sweep)
    return {"no probe has enough good samples", "",
            "stop what else runs; the same command goes on from here", ""};
  std::vector<std::string> Why;
  for (const auto &[Mhz, BS] : Result.NotTaken)
    Why.push_back(fmt::format("at {:.0f} MHz {}", Mhz, BS));
  return {"no clock could be measured: " + joined(Why), "",
          "stop what else sets clocks, or name others, or calibrate without it", "--sweep-clocks"};
}

void Calibration::addScalings() {
  if (Result.Others.empty())
    return;
  std::vector<AtClock> All = {{Result.SettingsMhz.front(), Result.Probes}};
  for (const auto &[Mhz, Other] : Result.Others)
    All.push_back({Mhz, Other.Probes});
  Result.Scalings = clockScalings(All, Plan.LineBytes);
}

/// Allocates the probes' memory long before it is measured: new pages are slower for a while.
static void haveMemory(const std::vector<Probe> &Probes) {
  std::map<unsigned, std::vector<std::unique_ptr<ProbeRun>>> ByThreads;
  for (const Probe &P : Probes)
    if (auto &Runs = ByThreads[P.Threads]; P.Level == "dram" && Runs.empty())
      for (int K = 0; K != 2; ++K)
        Runs.push_back(std::make_unique<ProbeRun>(P, allowedProcessors()));
}

std::expected<CalibrationResult, Error> measureAll(const CalibrationPlan &Plan, EnergyMeter &Meter,
                                                   std::optional<CalibrationLog> &Log) {
  const std::optional<double> Idle = idleWatts(Meter, Plan.IsQuick);
  std::vector<double> Clocks = clocksNow();
  auto Opened = CalibrationLog::open(
      Plan.Profile, classesOf(Plan.Probes, Plan.LineBytes),
      Plan.Sweep ? Plan.Sweep->wantedMhz() : std::vector{medianInterval(Clocks).Median * 1e-6});
  if (!Opened)
    return std::unexpected(Opened.error());
  Log = std::move(*Opened);
  {
    ProgressBar Bar("calibrate", "probes");
    Bar.show(0, Plan.Probes.size(), "memory for their data");
    haveMemory(Plan.Probes);
  }
  auto Result = Calibration(Plan, Meter, *Log).run(std::move(Clocks));
  if (Result)
    Result->Energy.IdleBeforeW = Idle;
  return Result;
}

} // namespace ergon
