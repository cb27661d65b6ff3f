//===- CalibrationView.cpp - what a calibration shows ---------------------===//

#include "model/Statistics.h"
#include "tools/Calibration.h"
#include "tools/PipelineView.h"
#include "tools/Text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace ergon {

using Json = nlohmann::ordered_json;

static void print(const Json &Document) {
  fmt::print("{}\n", Document.dump(2, ' ', false, Json::error_handler_t::replace));
}

void printProbes(const ProbeTable &Of, const SamplingGoal &Goal, unsigned LineBytes, bool InJson) {
  ExpectedTime All;
  Json Document = {{"schema", "ergon-probes/1"}, {"probes", Json::array()}};
  for (const Probe &Each : Of.Probes) {
    const ExpectedTime Takes = expectedTime(Each, Goal);
    All.LeastS += Takes.LeastS;
    All.MostS += Takes.MostS;
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
    Document["expected_s"] = All.LeastS;
    Document["at_most_s"] = All.MostS;
    print(Document);
    return;
  }
  for (const std::string &Each : Of.LeftOut)
    fmt::print("left out: {}\n", Each);
  fmt::print(
      "{} probes, with what an iteration of each executes; some {:.0f} s where little disturbs "
      "them, {:.0f} s at most\n",
      Of.Probes.size(), All.LeastS, All.MostS);
}

/// |predicted/measured - 1| of the mixtures.
static std::vector<double> errorsOf(const CalibrationResult &Of) {
  std::vector<double> Result;
  for (const MixedProbe &Each : Of.Mixed)
    Result.push_back(std::abs(Each.error()));
  return Result;
}

static void printJson(const CalibrationResult &Of, const ProbeTable &From,
                      const std::string &Samples) {
  Json Document = {{"schema", "ergon-calibration/1"},
                   {"samples", Samples},
                   {"energy", nullptr},
                   {"dropped", {{"preempted", Of.Preempted}, {"clock_moved", Of.ClockMoved}}},
                   {"outliers", Of.Outliers},
                   {"left_out", From.LeftOut},
                   {"unmeasured", Of.Unmeasured},
                   {"wide", Of.Wide},
                   {"disturbed", Of.Disturbed},
                   {"other_clock_hz", Of.OtherClockHz},
                   {"probes", Json::array()},
                   {"mixed", Json::array()}};
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
  printPipeline(*M.OfCore);
  fmt::print("\ndropped: {} of {} samples, {} with something else on the processor and {} with a "
             "clock that moved; outliers left out: {}\n",
             Of.Preempted + Of.ClockMoved, Of.Attempts, Of.Preempted, Of.ClockMoved, Of.Outliers);
  if (!Of.Disturbed.empty())
    fmt::print(
        "{} probes had too few good samples: disturbed ones were used as well, with room for "
        "that in the interval: {}\n",
        Of.Disturbed.size(), joined(Of.Disturbed));
  if (!Of.OtherClockHz.empty())
    fmt::print("{} probes ran at another clock than the {:.0f} MHz of the start: {}\n",
               Of.OtherClockHz.size(), M.OfCore->CoreHz->Of.Value * 1e-6, clocksOf(Of));
  if (!Of.Wide.empty())
    fmt::print("{} probes have intervals wider than wanted: {}\n", Of.Wide.size(), joined(Of.Wide));
  if (!Of.Unmeasured.empty())
    fmt::print("not measured, too few good samples: {}\n", joined(Of.Unmeasured));
  for (const std::string &Each : From.LeftOut)
    fmt::print("left out: {}\n", Each);
  if (const std::vector<double> Errors = errorsOf(Of); !Errors.empty())
    fmt::print("{} mixtures by their parts: |predicted/measured - 1| has the median {:.1f} %, 90th "
               "percentile {:.1f} %, maximum {:.1f} %\n",
               Errors.size(), median(Errors) * 100, quantile(Errors, 0.9) * 100,
               quantile(Errors, 1) * 100);
  fmt::print("no energy meter was read: the profile has times and no energies\n");
}

} // namespace ergon
