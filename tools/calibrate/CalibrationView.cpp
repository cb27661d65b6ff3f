//===- CalibrationView.cpp - what a calibration shows ---------------------===//

#include "model/fit/FitErrors.h"
#include "predict/text/Text.h"
#include "tools/base/Measuring.h"
#include "tools/calibrate/Calibration.h"
#include "tools/view/PipelineView.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace ergon {

using Json = nlohmann::ordered_json;

static void print(const Json &Document) {
  fmt::print("{}\n", Document.dump(2, ' ', false, Json::error_handler_t::replace));
}

/// At all clocks, where there are some.
static ExpectedTime expectedTime(const std::vector<Probe> &Of, const SamplingGoal &Goal,
                                 const std::vector<double> &ClocksMhz) {
  ExpectedTime All;
  for (std::size_t K = 0; K != std::max<std::size_t>(1, ClocksMhz.size()); ++K)
    for (const Probe &Each : Of) {
      const auto [LeastS, MostS] =
          expectedTime(Each, K ? longer(Goal, ClocksMhz[0] / ClocksMhz[K]) : Goal);
      All.LeastS += LeastS;
      All.MostS += MostS;
    }
  return All;
}

static std::string megahertz(const std::vector<double> &Of) {
  return fmt::format("{:.0f} MHz", fmt::join(Of, ", "));
}

void printProbes(const ProbeTable &Of, const SamplingGoal &Goal, unsigned LineBytes,
                 const std::vector<double> &ClocksMhz, bool InJson) {
  const ExpectedTime All = expectedTime(Of.Probes, Goal, ClocksMhz);
  Json Document = {{"schema", "ergon-probes/1"}, {"probes", Json::array()}};
  for (const Probe &Each : Of.Probes) {
    const auto Counts = Each.counts(1, LineBytes);
    if (InJson) {
      Document["probes"].push_back({{"name", Each.Name},
                                    {"threads", Each.Threads},
                                    {"bytes", Each.Bytes * (Each.Of->Reads + Each.Of->Writes)},
                                    {"counts", Counts}});
      continue;
    }
    fmt::print("{:<34}", Each.Name);
    for (const auto &[Class, Units] : Counts)
      fmt::print(" {}={:g}", Class, Units);
    fmt::print("\n");
  }
  if (InJson) {
    Document["left_out"] = Of.LeftOut;
    if (!ClocksMhz.empty())
      Document["core_mhz"] = ClocksMhz;
    Document["expected_s"] = All.LeastS;
    Document["at_most_s"] = All.MostS;
    print(Document);
    return;
  }
  for (const std::string &Each : Of.LeftOut)
    fmt::print("left out: {}\n", Each);
  if (!ClocksMhz.empty())
    fmt::print("at {} each, as far as the machine takes them\n", megahertz(ClocksMhz));
  fmt::print(
      "{} probes, with what an iteration of each executes; some {:.0f} s where little disturbs "
      "them, {:.0f} s at most\n",
      Of.Probes.size(), All.LeastS, All.MostS);
}

/// Prices and constant power with one standard deviation.
static std::vector<std::tuple<std::string, double, double>> pricesOf(const EnergyFit &Of) {
  std::vector<std::tuple<std::string, double, double>> Result;
  const FitQuality &Quality = *Of.Fitted.Fit.Quality;
  for (const auto &[Name, Coefficient] : Of.Fitted.coefficients()) {
    double Sd = std::nan("");
    if (Quality.Together) {
      const auto &Names = Quality.Together->Coefficients;
      const std::size_t K = std::ranges::find(Names, Name) - Names.begin();
      if (K != Names.size())
        Sd = std::sqrt(Quality.Together->Relative[K][K]) * Coefficient->Value;
    }
    Result.emplace_back(Name, Coefficient->Value, Sd);
  }
  return Result;
}

/// Null where no energy was measured.
static Json energyJson(const EnergyHalf &Of) {
  if (!Of.Fit)
    return nullptr;
  Json Result = {{"meter", Of.Meter},
                 {"samples", Of.File},
                 {"rows", Of.Samples.Rows.size()},
                 {"warm_up", {{"blocks", Of.Warm.Blocks}, {"steady", Of.Warm.IsSteady}}},
                 {"dropped", droppedJson(Of.Samples)},
                 {"wide", Of.Samples.Wide},
                 {"unmeasured", Of.Samples.Unmeasured},
                 {"without_price", Of.Fit->Free}};
  if (Of.IdleBeforeW && Of.IdleAfterW)
    Result["idle_w"] = {{"before", *Of.IdleBeforeW}, {"after", *Of.IdleAfterW}};
  for (const auto &[Name, Value, Sd] : pricesOf(*Of.Fit))
    Result["coefficients"][Name] = {{"value", Value}, {"sd", Sd}};
  if (Of.Fit->Fitted.Fit.Quality->EnergyError)
    Result["energy_error"] = Of.Fit->Fitted.Fit.Quality->EnergyError->Value;
  return Result;
}

static void printEnergy(const EnergyHalf &Of) {
  if (!Of.Fit) {
    fmt::print("no energies were measured, the profile has times alone: {}\n", Of.Why);
    return;
  }
  fmt::print("\nenergy by {}, {} samples in {}\n", Of.Meter, Of.Samples.Rows.size(), Of.File);
  if (Of.IdleBeforeW && Of.IdleAfterW)
    fmt::print("  the idle machine took {} before and {} after\n", quantity(*Of.IdleBeforeW, "W"),
               quantity(*Of.IdleAfterW, "W"));
  fmt::print("  power was {} after {} blocks of warming up\n",
             Of.Warm.IsSteady ? "steady" : "not steady", Of.Warm.Blocks);
  for (const auto &[Name, Value, Sd] : pricesOf(*Of.Fit))
    fmt::print("  {:<26} {} ± {}\n", Name, quantity(Value, Name.starts_with("energy.") ? "J" : "W"),
               std::isnan(Sd) ? "?" : quantity(Sd, Name.starts_with("energy.") ? "J" : "W"));
  if (!Of.Fit->Free.empty())
    fmt::print("  no energy can be seen of: {}\n", joined(Of.Fit->Free));
  if (Of.Fit->Fitted.Fit.Quality->EnergyError)
    fmt::print(
        "  |predicted/measured - 1| of probes that were left out of the fit: {:.1f} % (rms)\n",
        Of.Fit->Fitted.Fit.Quality->EnergyError->Value * 100);
  fmt::print("  dropped: {}\n", dropped(Of.Samples));
  if (!Of.Samples.Disturbed.empty())
    fmt::print("  {} probes had too few good samples: disturbed ones were used as well: {}\n",
               Of.Samples.Disturbed.size(), joined(Of.Samples.Disturbed));
  if (!Of.Samples.Unmeasured.empty())
    fmt::print("  not measured, too few samples: {}\n", joined(Of.Samples.Unmeasured));
  if (!Of.Samples.Wide.empty())
    fmt::print("  {} probes have energies wider than wanted: {}\n", Of.Samples.Wide.size(),
               joined(Of.Samples.Wide));
}

/// Of a sweep.
static void addClocks(Json &Into, const CalibrationResult &Of) {
  for (const auto &[Mhz, Each] : Of.Others)
    Into["other_settings"].push_back({{"core_mhz", Mhz},
                                      {"probes", Each.Probes.size()},
                                      {"dropped", droppedJson(Each)},
                                      {"unmeasured", Each.Unmeasured},
                                      {"wide", Each.Wide},
                                      {"disturbed", Each.Disturbed}});
  for (const auto &[Mhz, Why] : Of.NotTaken)
    Into["not_taken"].push_back({{"core_mhz", Mhz}, {"why", Why}});
  for (const ClockLaw &Each : Of.Laws)
    Into["rates"].push_back({{"class", Each.Class},
                             {"clock", Each.FollowsCore ? Json("core") : Json(nullptr)},
                             {"rms_error", Each.Error ? Json(*Each.Error) : Json(nullptr)}});
}

static void printClocks(const CalibrationResult &Of, const ProbeTable &From) {
  for (const auto &[Mhz, Each] : Of.Others)
    fmt::print("at {:.0f} MHz {} of {} probes measured; dropped: {}\n", Mhz, Each.Probes.size(),
               From.Probes.size(), dropped(Each));
  for (const auto &[Mhz, Each] : Of.Others)
    if (!Each.Unmeasured.empty())
      fmt::print("not measured at {:.0f} MHz, too few good samples: {}\n", Mhz,
                 joined(Each.Unmeasured));
  for (const auto &[Mhz, Why] : Of.NotTaken)
    fmt::print("not at {:.0f} MHz: {}\n", Mhz, Why);
  for (const ClockLaw &Each : Of.Laws)
    fmt::print("  {:<26} {}, {}\n", Each.Class,
               Each.FollowsCore ? "follows the core's clock" : "is the same at all clocks",
               Each.Error ? fmt::format("within {:.1f} % (rms)", *Each.Error * 100)
                          : "which was not measured");
}

static void printJson(const CalibrationResult &Of, const ProbeTable &From,
                      const std::string &Samples) {
  Json Document = {{"schema", "ergon-calibration/1"}, {"samples", Samples},
                   {"energy", energyJson(Of.Energy)}, {"dropped", droppedJson(Of)},
                   {"outliers", Of.Outliers},         {"left_out", From.LeftOut},
                   {"unmeasured", Of.Unmeasured},     {"wide", Of.Wide},
                   {"disturbed", Of.Disturbed},       {"other_clock_hz", Of.OtherClockHz},
                   {"probes", Json::array()},         {"mixed", Json::array()}};
  for (const Measured &Each : Of.Probes)
    Document["probes"].push_back({{"name", Each.Of->Name},
                                  {"iteration_s", Each.Seconds.Median},
                                  {"low", Each.Seconds.Low},
                                  {"high", Each.Seconds.High},
                                  {"samples", Each.Seconds.Samples},
                                  {"outliers", Each.Seconds.Outliers}});
  for (const MixedProbe &Each : Of.Mixed)
    Document["mixed"].push_back({{"name", Each.Of->Name},
                                 {"measured_s", Each.MeasuredS},
                                 {"predicted_s", Each.PredictedS}});
  addClocks(Document, Of);
  print(Document);
}

/// `NAME 3531 MHz, …`
static std::string clocksOf(const CalibrationResult &Of) {
  std::vector<std::string> Result;
  for (const auto &[Name, Hz] : Of.OtherClockHz)
    Result.push_back(fmt::format("{} {:.0f} MHz", Name, Hz * 1e-6));
  return joined(Result);
}

void printCalibration(const CalibrationResult &Of, const Machine &M, const ProbeTable &From,
                      const std::string &Samples, bool InJson) {
  if (InJson) {
    printJson(Of, From, Samples);
    return;
  }
  fmt::print("{} of {} probes measured, samples in {}\n", Of.Probes.size(), From.Probes.size(),
             Samples);
  printPipeline(*M.Timing.InCore);
  fmt::print("\ndropped: {}; outliers left out: {}\n", dropped(Of), Of.Outliers);
  if (!Of.Disturbed.empty())
    fmt::print(
        "{} probes had too few good samples: disturbed ones were used as well, with room for "
        "that in the interval: {}\n",
        Of.Disturbed.size(), joined(Of.Disturbed));
  if (!Of.OtherClockHz.empty())
    fmt::print("{} probes ran at another clock than the {:.0f} MHz of the start: {}\n",
               Of.OtherClockHz.size(), M.Timing.InCore->CoreHz->Of.Value * 1e-6, clocksOf(Of));
  if (!Of.Wide.empty())
    fmt::print("{} probes have intervals wider than wanted: {}\n", Of.Wide.size(), joined(Of.Wide));
  if (!Of.Unmeasured.empty())
    fmt::print("not measured, too few good samples: {}\n", joined(Of.Unmeasured));
  for (const std::string &Each : From.LeftOut)
    fmt::print("left out: {}\n", Each);
  if (const FitErrors Errors = errorsOf(Of.Mixed); Errors.Count)
    fmt::print("{} mixtures by their parts: |predicted/measured - 1| has the median {:.1f} %, 90th "
               "percentile {:.1f} %, maximum {:.1f} %\n",
               Errors.Count, Errors.Median * 100, Errors.Percentile90 * 100, Errors.Most * 100);
  printClocks(Of, From);
  printEnergy(Of.Energy);
}

} // namespace ergon
