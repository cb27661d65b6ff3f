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

void printGpuProbes(const cuda::GpuProbeTable &Of, double ExpectedS, bool InJson) {
  Json Document = {{"schema", "ergon-probes/1"}, {"probes", Json::array()}};
  for (const cuda::GpuProbe &Each : Of.Probes) {
    const cuda::Counts Counts = Each.counts(1, 1);
    if (InJson) {
      Document["probes"].push_back({{"name", Each.Name},
                                    {"blocks", Each.Blocks},
                                    {"threads", Each.Threads},
                                    {"bytes", Each.InBytes + Each.OutBytes},
                                    {"counts", Counts}});
      continue;
    }
    fmt::print("{:<22}", Each.Name);
    for (const auto &[Class, Units] : Counts)
      if (cuda::isPriced(Class))
        fmt::print(" {}={:g}", Class, Units);
    fmt::print("\n");
  }
  if (InJson) {
    Document["left_out"] = Of.LeftOut;
    Document["expected_s"] = ExpectedS;
    return print(Document);
  }
  for (const std::string &Each : Of.LeftOut)
    fmt::print("left out: {}\n", Each);
  fmt::print("{} probes, with what a launch of one iteration executes; some {:.0f} s\n",
             Of.Probes.size(), ExpectedS);
}

static Json orNull(const std::optional<double> &Of) { return Of ? Json(*Of) : Json(nullptr); }

static void printJson(const GpuCalibrationResult &Of, const Machine &M,
                      const cuda::GpuProbeTable &From, const std::string &Samples) {
  Json Document = {
      {"schema", "ergon-gpu-calibration/1"},
      {"samples", Samples},
      {"idle_w", {{"before", orNull(Of.IdleBeforeW)}, {"after", orNull(Of.IdleAfterW)}}},
      {"dropped", {{"clock_moved", Of.ClockMoved}, {"held_down", Of.HeldDown}}},
      {"held_down_by", Of.HeldDownBy},
      {"outliers", Of.Outliers},
      {"left_out", From.LeftOut},
      {"unmeasured", Of.Unmeasured},
      {"wide", Of.Wide},
      {"not_beyond_l2", cuda::notBeyondL2(Of.Probes)},
      {"energy", nullptr},
      {"why_no_energy", Of.WhyNoEnergy},
      {"probes", Json::array()},
      {"mixed", Json::array()},
      {"zeros", Json::array()}};
  if (Of.Energy)
    for (const auto &[Name, Coefficient] : M.coefficients())
      if (!Name.starts_with("throughput."))
        Document["energy"][Name] = Coefficient->Value;
  for (const cuda::GpuMeasured &Each : Of.Probes) {
    Json &Into = Document["probes"].emplace_back(Json{{"name", Each.Of->Name},
                                                      {"time_s", Each.Seconds.Median},
                                                      {"low", Each.Seconds.Low},
                                                      {"high", Each.Seconds.High},
                                                      {"samples", Each.Seconds.Samples},
                                                      {"counts", Each.Units}});
    if (Each.Watts)
      Into["power_w"] = {
          {"value", Each.Watts->Median}, {"low", Each.Watts->Low}, {"high", Each.Watts->High}};
  }
  for (const cuda::GpuMixed &Each : Of.Mixed)
    Document["mixed"].push_back({{"name", Each.Of->Name},
                                 {"measured_s", Each.MeasuredS},
                                 {"predicted_s", Each.PredictedS}});
  for (const cuda::ZerosShare &Each : cuda::zerosShares(Of.Probes))
    Document["zeros"].push_back({{"name", Each.Probe}, {"power_share", Each.Share}});
  print(Document);
}

static void printEnergies(const GpuCalibrationResult &Of, const Machine &M) {
  if (!Of.Energy) {
    fmt::print("no energies, times alone: {}\n", Of.WhyNoEnergy);
    return;
  }
  fmt::print("\n{:<24} {:>12}\n", "energy of a unit", "J");
  for (const auto &[Class, Cost] : M.Power.Energies)
    fmt::print("  {:<22} {:>12.4g}\n", Class, Cost.Coefficient.Value);
  if (M.Power.Constant.MiscW)
    fmt::print("constant power {:.4g} W; idle {:.4g} W before, {:.4g} W after\n",
               M.Power.Constant.MiscW->Value, Of.IdleBeforeW.value_or(NAN),
               Of.IdleAfterW.value_or(NAN));
  if (M.Fit.Quality && M.Fit.Quality->EnergyError)
    fmt::print("energy of probes that the fit was not given is {:.1f} % off (standard deviation)\n",
               M.Fit.Quality->EnergyError->Value * 100);
  const auto Zeros = cuda::zerosShares(Of.Probes);
  if (Zeros.empty())
    return;
  const auto [Least, Most] = std::ranges::minmax(Zeros, {}, &cuda::ZerosShare::Share);
  fmt::print("energies are of random operands; with zeros {} probes draw {:.0f} % ({}) to {:.0f} % "
             "({}) of the power\n",
             Zeros.size(), Least.Share * 100, Least.Probe, Most.Share * 100, Most.Probe);
}

void printGpuCalibration(const GpuCalibrationResult &Of, const Machine &M,
                         const cuda::GpuProbeTable &From, const std::string &Samples, bool InJson) {
  if (InJson)
    return printJson(Of, M, From, Samples);
  fmt::print("{} of {} probes measured, samples in {}\n\n{:<24} {:>12}\n", Of.Probes.size(),
             From.Probes.size(), Samples, "at best", "a second");
  for (const auto &[Class, Rate] : M.Timing.Throughputs)
    fmt::print("  {:<22} {:>12.4g}\n", Class, Rate.PerS.Value);
  printEnergies(Of, M);
  fmt::print("\ndropped: {} samples with a clock that moved, {} while it was held down\n",
             Of.ClockMoved, Of.HeldDown);
  for (const auto &[By, Times] : Of.HeldDownBy)
    fmt::print("  {} by {}\n", Times, By);
  if (!Of.Wide.empty())
    fmt::print("{} probes have intervals wider than wanted: {}\n", Of.Wide.size(), joined(Of.Wide));
  if (!Of.Unmeasured.empty())
    fmt::print("not measured, too few good samples: {}\n", joined(Of.Unmeasured));
  if (const auto Near = cuda::notBeyondL2(Of.Probes); !Near.empty())
    fmt::print("no slower than in L2, where their data may have been: {}\n", joined(Near));
  for (const std::string &Each : From.LeftOut)
    fmt::print("left out: {}\n", Each);
  if (const FitErrors Errors = errorsOf(Of.Mixed); Errors.Count)
    fmt::print("{} mixtures by their parts: |predicted/measured - 1| has the median {:.1f} %, "
               "maximum {:.1f} %\n",
               Errors.Count, Errors.Median * 100, Errors.Most * 100);
}

} // namespace ergon
