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
static ExpectedTime expectedTime(const std::vector<Probe> &Probes, const SamplingGoal &Goal,
                                 const std::vector<double> &ClocksMhz) {
  ExpectedTime All;
  for (std::size_t K = 0; K != std::max<std::size_t>(1, ClocksMhz.size()); ++K)
    for (const Probe &P : Probes) {
      const auto [LeastS, MostS] =
          expectedTime(P, K ? longer(Goal, ClocksMhz[0] / ClocksMhz[K]) : Goal);
      All.LeastS += LeastS;
      All.MostS += MostS;
    }
  return All;
}

static std::string megahertz(const std::vector<double> &Values) {
  return fmt::format("{:.0f} MHz", fmt::join(Values, ", "));
}

void printProbes(const ProbeTable &Table, const SamplingGoal &Goal, unsigned LineBytes,
                 const std::vector<double> &ClocksMhz, bool InJson) {
  const ExpectedTime All = expectedTime(Table.Probes, Goal, ClocksMhz);
  Json Document = {{"schema", "ergon-probes/1"}, {"probes", Json::array()}};
  for (const Probe &P : Table.Probes) {
    const auto Counts = P.counts(1, LineBytes);
    if (InJson) {
      Document["probes"].push_back({{"name", P.Name},
                                    {"threads", P.Threads},
                                    {"bytes", P.Bytes * (P.Code->Reads + P.Code->Writes)},
                                    {"counts", Counts}});
      continue;
    }
    fmt::print("{:<34}", P.Name);
    for (const auto &[Class, Units] : Counts)
      fmt::print(" {}={:g}", Class, Units);
    fmt::print("\n");
  }
  if (InJson) {
    Document["left_out"] = Table.LeftOut;
    if (!ClocksMhz.empty())
      Document["core_mhz"] = ClocksMhz;
    Document["expected_s"] = All.LeastS;
    Document["at_most_s"] = All.MostS;
    print(Document);
    return;
  }
  for (const std::string &Text : Table.LeftOut)
    fmt::print("left out: {}\n", Text);
  if (!ClocksMhz.empty())
    fmt::print("at {} each, as far as the machine takes them\n", megahertz(ClocksMhz));
  fmt::print(
      "{} probes, with what an iteration of each executes; some {:.0f} s where little disturbs "
      "them, {:.0f} s at most\n",
      Table.Probes.size(), All.LeastS, All.MostS);
}

/// Prices and constant power with one standard deviation.
static std::vector<std::tuple<std::string, double, double>> pricesOf(const EnergyFit &Fit) {
  std::vector<std::tuple<std::string, double, double>> Result;
  const FitQuality &Quality = *Fit.Fitted.Fit.Quality;
  for (const auto &[Name, Coefficient] : Fit.Fitted.coefficients()) {
    double Sd = std::nan("");
    if (Quality.JointCovariance) {
      const auto &Names = Quality.JointCovariance->Coefficients;
      const std::size_t K = std::ranges::find(Names, Name) - Names.begin();
      if (K != Names.size())
        Sd = std::sqrt(Quality.JointCovariance->Relative[K][K]) * Coefficient->Value;
    }
    Result.emplace_back(Name, Coefficient->Value, Sd);
  }
  return Result;
}

/// Null where no energy was measured.
static Json energyJson(const EnergyHalf &Half) {
  if (!Half.Fit)
    return nullptr;
  Json Result = {{"meter", Half.Meter},
                 {"samples", Half.File},
                 {"rows", Half.Samples.Rows.size()},
                 {"warm_up", {{"blocks", Half.Warm.Blocks}, {"steady", Half.Warm.IsSteady}}},
                 {"dropped", droppedJson(Half.Samples)},
                 {"wide", Half.Samples.Wide},
                 {"unmeasured", Half.Samples.Unmeasured},
                 {"without_price", Half.Fit->Free}};
  if (Half.IdleBeforeW && Half.IdleAfterW)
    Result["idle_w"] = {{"before", *Half.IdleBeforeW}, {"after", *Half.IdleAfterW}};
  for (const auto &[Name, Value, Sd] : pricesOf(*Half.Fit))
    Result["coefficients"][Name] = {{"value", Value}, {"sd", Sd}};
  if (Half.Fit->Fitted.Fit.Quality->EnergyError)
    Result["energy_error"] = Half.Fit->Fitted.Fit.Quality->EnergyError->Value;
  return Result;
}

static void printEnergy(const EnergyHalf &Half) {
  if (!Half.Fit) {
    fmt::print("no meter can be read: {}\n", Half.Why);
    return;
  }
  fmt::print("\nenergy by {}, {} samples in {}\n", Half.Meter, Half.Samples.Rows.size(), Half.File);
  if (Half.IdleBeforeW && Half.IdleAfterW)
    fmt::print("  the idle machine took {} before and {} after\n", quantity(*Half.IdleBeforeW, "W"),
               quantity(*Half.IdleAfterW, "W"));
  fmt::print("  power was {} after {} blocks of warming up\n",
             Half.Warm.IsSteady ? "steady" : "not steady", Half.Warm.Blocks);
  for (const auto &[Name, Value, Sd] : pricesOf(*Half.Fit))
    fmt::print("  {:<26} {} ± {}\n", Name, quantity(Value, Name.starts_with("energy.") ? "J" : "W"),
               std::isnan(Sd) ? "?" : quantity(Sd, Name.starts_with("energy.") ? "J" : "W"));
  if (!Half.Fit->Free.empty())
    fmt::print("  no energy can be seen of: {}\n", joined(Half.Fit->Free));
  if (Half.Fit->Fitted.Fit.Quality->EnergyError)
    fmt::print(
        "  |predicted/measured - 1| of probes that were left out of the fit: {:.1f} % (rms)\n",
        Half.Fit->Fitted.Fit.Quality->EnergyError->Value * 100);
  fmt::print("  dropped: {}\n", dropped(Half.Samples));
  if (!Half.Samples.Disturbed.empty())
    fmt::print("  {} probes had too few good samples: disturbed ones were used as well: {}\n",
               Half.Samples.Disturbed.size(), joined(Half.Samples.Disturbed));
  if (!Half.Samples.Unmeasured.empty())
    fmt::print("  not measured, too few samples: {}\n", joined(Half.Samples.Unmeasured));
  if (!Half.Samples.Wide.empty())
    fmt::print("  {} probes have energies wider than wanted: {}\n", Half.Samples.Wide.size(),
               joined(Half.Samples.Wide));
}

/// Of a sweep.
static void addClocks(Json &Output, const CalibrationResult &Result) {
  for (const auto &[Mhz, Other] : Result.Others)
    Output["other_settings"].push_back({{"core_mhz", Mhz},
                                        {"probes", Other.Probes.size()},
                                        {"dropped", droppedJson(Other)},
                                        {"unmeasured", Other.Unmeasured},
                                        {"wide", Other.Wide},
                                        {"disturbed", Other.Disturbed}});
  for (const auto &[Mhz, Why] : Result.NotTaken)
    Output["not_taken"].push_back({{"core_mhz", Mhz}, {"why", Why}});
  for (const ClockScaling &Scaling : Result.Scalings)
    Output["rates"].push_back(
        {{"class", Scaling.Class},
         {"clock", Scaling.ScalesWithCoreClock ? Json("core") : Json(nullptr)},
         {"rms_error", Scaling.Error ? Json(*Scaling.Error) : Json(nullptr)}});
}

static void printClocks(const CalibrationResult &Result, const ProbeTable &From) {
  for (const auto &[Mhz, Other] : Result.Others)
    fmt::print("at {:.0f} MHz {} of {} probes measured; dropped: {}\n", Mhz, Other.Probes.size(),
               From.Probes.size(), dropped(Other));
  for (const auto &[Mhz, CR] : Result.Others)
    if (!CR.Unmeasured.empty())
      fmt::print("not measured at {:.0f} MHz, too few good samples: {}\n", Mhz,
                 joined(CR.Unmeasured));
  for (const auto &[Mhz, Why] : Result.NotTaken)
    fmt::print("not at {:.0f} MHz: {}\n", Mhz, Why);
  for (const ClockScaling &Scaling : Result.Scalings)
    fmt::print("  {:<26} {}, {}\n", Scaling.Class,
               Scaling.ScalesWithCoreClock ? "follows the core's clock"
                                           : "is the same at all clocks",
               Scaling.Error ? fmt::format("within {:.1f} % (rms)", *Scaling.Error * 100)
                             : "which was not measured");
}

void printCalibrationJson(const Calibrated &C) {
  const CalibrationResult &Result = C.Result;
  Json Document = {{"schema", "ergon-calibration/1"},
                   {"profile", C.File},
                   {"is_default", C.IsOwn},
                   {"replaced", C.Replaced.empty() ? Json(nullptr) : Json(C.Replaced)},
                   {"took_s", C.TookS},
                   {"samples", C.Samples},
                   {"energy", energyJson(Result.Energy)},
                   {"dropped", droppedJson(Result)},
                   {"outliers", Result.Outliers},
                   {"left_out", C.From.LeftOut},
                   {"unmeasured", Result.Unmeasured},
                   {"wide", Result.Wide},
                   {"disturbed", Result.Disturbed},
                   {"other_clock_hz", Result.OtherClockHz},
                   {"probes", Json::array()},
                   {"mixed", Json::array()}};
  for (const Measured &Probe : Result.Probes)
    Document["probes"].push_back({{"name", Probe.Probed->Name},
                                  {"iteration_s", Probe.Seconds.Median},
                                  {"low", Probe.Seconds.Low},
                                  {"high", Probe.Seconds.High},
                                  {"samples", Probe.Seconds.Samples},
                                  {"outliers", Probe.Seconds.Outliers}});
  for (const MixedProbe &MP : Result.Mixed)
    Document["mixed"].push_back(
        {{"name", MP.Probed->Name}, {"measured_s", MP.MeasuredS}, {"predicted_s", MP.PredictedS}});
  addClocks(Document, Result);
  print(Document);
}

/// `NAME 3531 MHz, …`
static std::string clocksOf(const CalibrationResult &CR) {
  std::vector<std::string> Result;
  for (const auto &[Name, Hz] : CR.OtherClockHz)
    Result.push_back(fmt::format("{} {:.0f} MHz", Name, Hz * 1e-6));
  return joined(Result);
}

void printDetails(const Calibrated &C) {
  const CalibrationResult &Result = C.Result;
  const ProbeTable &From = C.From;
  fmt::print("\nsamples in {}\n", C.Samples);
  printPipeline(*C.M.Timing.InCore);
  fmt::print("\ndropped: {}; outliers left out: {}\n", dropped(Result), Result.Outliers);
  if (!Result.Disturbed.empty())
    fmt::print(
        "{} probes had too few good samples: disturbed ones were used as well, with room for "
        "that in the interval: {}\n",
        Result.Disturbed.size(), joined(Result.Disturbed));
  if (!Result.OtherClockHz.empty())
    fmt::print("{} probes ran at another clock than the start: {}\n", Result.OtherClockHz.size(),
               clocksOf(Result));
  if (!Result.Wide.empty())
    fmt::print("{} probes have intervals wider than wanted: {}\n", Result.Wide.size(),
               joined(Result.Wide));
  if (!Result.Unmeasured.empty())
    fmt::print("not measured, too few good samples: {}\n", joined(Result.Unmeasured));
  for (const std::string &Text : From.LeftOut)
    fmt::print("left out: {}\n", Text);
  if (const FitErrors Errors = errorsOf(Result.Mixed); Errors.Count)
    fmt::print("{} mixtures by their parts: |predicted/measured - 1| has the median {:.1f} %, 90th "
               "percentile {:.1f} %, maximum {:.1f} %\n",
               Errors.Count, Errors.Median * 100, Errors.Percentile90 * 100, Errors.Most * 100);
  printClocks(Result, From);
  printEnergy(Result.Energy);
}

} // namespace ergon
