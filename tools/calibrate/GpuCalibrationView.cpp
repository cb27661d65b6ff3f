//===- GpuCalibrationView.cpp - what a calibration of a GPU shows ---------===//

#include "model/fit/FitErrors.h"
#include "predict/text/Text.h"
#include "tools/calibrate/GpuCalibration.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ergon {

using Json = nlohmann::ordered_json;

static void print(const Json &Document) {
  fmt::print("{}\n", Document.dump(2, ' ', false, Json::error_handler_t::replace));
}

void printGpuProbes(const cuda::GpuProbeTable &ProbeTable, double ExpectedS, bool InJson) {
  Json Document = {{"schema", "ergon-probes/1"}, {"probes", Json::array()}};
  for (const cuda::GpuProbe &Probe : ProbeTable.Probes) {
    const cuda::Counts Counts = Probe.counts(1, 1);
    if (InJson) {
      Document["probes"].push_back({{"name", Probe.Name},
                                    {"blocks", Probe.Blocks},
                                    {"threads", Probe.Threads},
                                    {"bytes", Probe.InBytes + Probe.OutBytes},
                                    {"counts", Counts}});
      continue;
    }
    fmt::print("{:<22}", Probe.Name);
    for (const auto &[Class, Units] : Counts)
      if (cuda::isPriced(Class))
        fmt::print(" {}={:g}", Class, Units);
    fmt::print("\n");
  }
  if (InJson) {
    Document["left_out"] = ProbeTable.LeftOut;
    Document["expected_s"] = ExpectedS;
    return print(Document);
  }
  for (const std::string &Text : ProbeTable.LeftOut)
    fmt::print("left out: {}\n", Text);
  fmt::print("{} probes, with what a launch of one iteration executes; some {:.0f} s\n",
             ProbeTable.Probes.size(), ExpectedS);
}

static Json orNull(const std::optional<double> &Value) {
  return Value ? Json(*Value) : Json(nullptr);
}

static void printJson(const GpuCalibrationResult &Found, const Machine &M,
                      const cuda::GpuProbeTable &From, const std::string &Samples) {
  Json Document = {
      {"schema", "ergon-gpu-calibration/1"},
      {"samples", Samples},
      {"idle_w", {{"before", orNull(Found.IdleBeforeW)}, {"after", orNull(Found.IdleAfterW)}}},
      {"dropped", {{"clock_moved", Found.ClockMoved}, {"held_down", Found.HeldDown}}},
      {"held_down_by", Found.HeldDownBy},
      {"outliers", Found.Outliers},
      {"left_out", From.LeftOut},
      {"unmeasured", Found.Unmeasured},
      {"wide", Found.Wide},
      {"time_alone", Json::object()},
      {"not_beyond_l2", cuda::notBeyondL2(Found.Probes)},
      {"energy", nullptr},
      {"why_no_energy", Found.WhyNoEnergy},
      {"probes", Json::array()},
      {"mixed", Json::array()},
      {"zeros", Json::array()}};
  if (Found.Energy)
    for (const auto &[Name, Coefficient] : M.coefficients())
      if (!Name.starts_with("throughput."))
        Document["energy"][Name] = Coefficient->Value;
  for (const auto &[Probe, ClockHz] : Found.TimeAlone)
    Document["time_alone"][Probe] = ClockHz * 1e-6;
  for (const cuda::GpuMeasured &Measured : Found.Probes) {
    Json &Output = Document["probes"].emplace_back(Json{{"name", Measured.Probe->Name},
                                                        {"time_s", Measured.Seconds.Median},
                                                        {"low", Measured.Seconds.Low},
                                                        {"high", Measured.Seconds.High},
                                                        {"samples", Measured.Seconds.Samples},
                                                        {"counts", Measured.Units}});
    if (Measured.Watts)
      Output["power_w"] = {{"value", Measured.Watts->Median},
                           {"low", Measured.Watts->Low},
                           {"high", Measured.Watts->High}};
  }
  for (const cuda::GpuMixed &Mixed : Found.Mixed)
    Document["mixed"].push_back({{"name", Mixed.Probe->Name},
                                 {"measured_s", Mixed.MeasuredS},
                                 {"predicted_s", Mixed.PredictedS}});
  for (const cuda::ZerosShare &Share : cuda::zerosShares(Found.Probes))
    Document["zeros"].push_back({{"name", Share.Probe}, {"power_share", Share.Share}});
  print(Document);
}

static void printEnergies(const GpuCalibrationResult &Found, const Machine &M) {
  if (!Found.Energy) {
    fmt::print("no energies, times alone: {}\n", Found.WhyNoEnergy);
    return;
  }
  fmt::print("\n{:<24} {:>12}\n", "energy of a unit", "J");
  for (const auto &[Class, Cost] : M.Power.Energies)
    fmt::print("  {:<22} {:>12.4g}\n", Class, Cost.Coefficient.Value);
  if (M.Power.Constant.MiscW)
    fmt::print("constant power {:.4g} W; idle {:.4g} W before, {:.4g} W after\n",
               M.Power.Constant.MiscW->Value, Found.IdleBeforeW.value_or(NAN),
               Found.IdleAfterW.value_or(NAN));
  if (M.Fit.Quality && M.Fit.Quality->EnergyError)
    fmt::print("energy of probes that the fit was not given is {:.1f} % off (standard deviation)\n",
               M.Fit.Quality->EnergyError->Value * 100);
  const auto Zeros = cuda::zerosShares(Found.Probes);
  if (Zeros.empty())
    return;
  const auto [Least, Most] = std::ranges::minmax(Zeros, {}, &cuda::ZerosShare::Share);
  fmt::print("energies are of random operands; with zeros {} probes draw {:.0f} % ({}) to {:.0f} % "
             "({}) of the power\n",
             Zeros.size(), Least.Share * 100, Least.Probe, Most.Share * 100, Most.Probe);
}

void printGpuCalibration(const GpuCalibrationResult &Found, const Machine &M,
                         const cuda::GpuProbeTable &From, const std::string &Samples, bool InJson) {
  if (InJson)
    return printJson(Found, M, From, Samples);
  fmt::print("{} of {} probes measured, samples in {}\n\n{:<24} {:>12}\n", Found.Probes.size(),
             From.Probes.size(), Samples, "at best", "a second");
  for (const auto &[Class, Rate] : M.Timing.Throughputs)
    fmt::print("  {:<22} {:>12.4g}\n", Class, Rate.PerS.Value);
  printEnergies(Found, M);
  fmt::print("\ndropped: {} samples with a clock that moved, {} while it was held down\n",
             Found.ClockMoved, Found.HeldDown);
  for (const auto &[BS, Times] : Found.HeldDownBy)
    fmt::print("  {} by {}\n", Times, BS);
  if (!Found.Wide.empty())
    fmt::print("{} probes have intervals wider than wanted: {}\n", Found.Wide.size(),
               joined(Found.Wide));
  if (!Found.Unmeasured.empty())
    fmt::print("not measured, too few good samples: {}\n", joined(Found.Unmeasured));
  for (const auto &[Probe, ClockHz] : Found.TimeAlone)
    fmt::print("{}: time alone, of short bursts; in longer ones the clock falls{}\n", Probe,
               ClockHz > 0 ? fmt::format(" to {:.0f} MHz", ClockHz * 1e-6) : "");
  if (const auto Near = cuda::notBeyondL2(Found.Probes); !Near.empty())
    fmt::print("no slower than in L2, where their data may have been: {}\n", joined(Near));
  for (const std::string &Text : From.LeftOut)
    fmt::print("left out: {}\n", Text);
  if (const FitErrors Errors = errorsOf(Found.Mixed); Errors.Count)
    fmt::print("{} mixtures by their parts: |predicted/measured - 1| has the median {:.1f} %, "
               "maximum {:.1f} %\n",
               Errors.Count, Errors.Median * 100, Errors.Most * 100);
}

} // namespace ergon
