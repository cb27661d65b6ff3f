//===- Calibration.cpp - a run of all probes ------------------------------===//

#include "tools/Calibration.h"
#include "tools/CalibrationLog.h"
#include "tools/Measuring.h"

#include <cmath>
#include <utility>

namespace ergon {

/// Seconds of an iteration in the samples that are there already.
static std::expected<std::map<std::string, std::vector<double>>, Error>
earlierSamples(const std::vector<Probe> &Probes, unsigned LineBytes, const CalibrationLog &Log) {
  std::map<std::string, std::vector<double>> Result;
  for (const Probe &Of : Probes) {
    const auto Found = Log.before().find(Of.Name);
    if (Found == Log.before().end())
      continue;
    const auto [Class, Units] = *Of.counts(1, LineBytes).begin();
    for (const CalibrationLog::Row &Each : Found->second) {
      const auto Count = Each.Counts.find(Class);
      const double Iterations = Count == Each.Counts.end() ? 0 : Count->second / Units;
      if (Iterations < 1 || std::abs(Iterations - std::round(Iterations)) > 1e-6 * Iterations)
        return std::unexpected(Error{"the samples of " + Of.Name + " are of another probe", "",
                                     "remove the file of samples to begin anew", ""});
      Result[Of.Name].push_back(Each.TimeS / Iterations);
    }
  }
  return Result;
}

std::expected<CalibrationResult, Error> measureAll(const std::vector<Probe> &Probes,
                                                   const SamplingGoal &Goal, unsigned LineBytes,
                                                   std::vector<double> ClockHz,
                                                   CalibrationLog &Log) {
  const auto Earlier = earlierSamples(Probes, LineBytes, Log);
  if (!Earlier)
    return std::unexpected(Earlier.error());
  const StopWhenAsked Stop;
  ProgressBar Bar;
  std::expected<void, Error> Kept;
  const CampaignHooks Hooks = {
      .Open = [](const Probe &Of) -> TakeSample {
        const auto Run = std::make_shared<ProbeRun>(Of, allowedProcessors());
        if (!Run->ready())
          return {};
        return [Run](std::uint64_t Iterations) { return Run->take(Iterations); };
      },
      .Keep =
          [&](const Probe &Of, std::uint64_t Iterations, const std::vector<double> &Seconds) {
            const auto Counts = Of.counts(Iterations, LineBytes);
            for (std::size_t K = 0; K != Seconds.size() && Kept; ++K)
              Kept = Log.add(Of.Name, Seconds[K], std::nullopt, Counts);
            return Kept.has_value();
          },
      .Stop = StopWhenAsked::asked,
      .Show =
          [&](const Progress &At) {
            Bar.show(At.Done, At.Of, At.LeftS, (At.Round ? "again: " : "") + At.Next->Name);
          },
  };
  CalibrationResult Result;
  static_cast<CampaignResult &>(Result) =
      sampleAll(Probes, *Earlier, Goal, middleOf(ClockHz).Median, Hooks);
  Result.ClockHz = std::move(ClockHz);
  Bar.clear();
  StopWhenAsked::stopIfAsked();
  if (!Kept)
    return std::unexpected(Kept.error());
  if (Result.End == CampaignEnd::TooBusy)
    return std::unexpected(tooBusy(Result.Attempts, Result.Useless));
  Result.Mixed = predictMixed(Result.Probes);
  return Result;
}

} // namespace ergon
