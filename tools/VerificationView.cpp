//===- VerificationView.cpp - predicted beside measured, shown ------------===//

#include "model/PredictionErrors.h"
#include "tools/Text.h"
#include "tools/Verification.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>

namespace ergon {

using Json = nlohmann::ordered_json;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void printHeading() {
  fmt::print("{:<18} {:<5} {:>7} {:>10} {:>11} {:>11} {:>8}\n", "kernel", "level", "threads",
             "data", "predicted", "measured", "error");
}

void printCase(const VerifiedCase &Of) {
  const std::optional<double> Ratio = Of.timeRatio();
  fmt::print("{:<18} {:<5} {:>7} {:>10} {:>11} {:>11} {:>8}{}\n", Of.Of.Kernel->Name, Of.Of.Level,
             Of.Of.Threads, Of.Bytes ? fmt::format("{} KiB", (Of.Bytes + 512) / 1024) : "-",
             Of.Predicted ? quantity(Of.Predicted->TimeS.Value, "s") : "?",
             Of.Seconds ? quantity(Of.Seconds->Median, "s") : "?",
             Ratio ? fmt::format("{:+.1f} %", 100 * (*Ratio - 1)) : "",
             Of.NotPredicted.empty() ? "" : "  not predicted: " + Of.NotPredicted);
  std::fflush(stdout);
}

static void printList(const char *What, const std::vector<std::string> &Of) {
  if (!Of.empty())
    fmt::print("{}: {}\n", What, fmt::join(Of, "; "));
}

void printSummary(const VerificationResult &Of, const VerificationPlan &Plan) {
  fmt::print("\n{:<18} {:>5} {:>9} {:>16} {:>9}\n", "|pred./meas. - 1|", "cases", "median",
             "90th percentile", "largest");
  for (const auto &[Group, Ratios] : groupRatios(Of.Cases))
    if (const auto Errors = errorsOf(Ratios))
      fmt::print("{:<18} {:>5} {:>7.1f} % {:>14.1f} % {:>7.1f} %\n", Group, Errors->Cases,
                 100 * Errors->Median, 100 * Errors->Percentile90, 100 * Errors->Largest);
    else
      fmt::print("{:<18} {:>5}\n", Group, 0);
  fmt::print(
      "\ntime of a run, where data are as the run before left them; with several threads each "
      "has its own data\n");
  std::vector<std::string> Known;
  for (const VerifiedCase &Each : Of.Cases)
    if (!Each.Known.empty() && std::ranges::find(Known, Each.Of.Kernel->Name) == Known.end())
      Known.emplace_back(Each.Of.Kernel->Name);
  printList("unknowns were bound by what is known of the data", Known);
  fmt::print("energy: not measured\n");
  if (Of.ProfileClockHz && std::abs(Of.ClockHz / *Of.ProfileClockHz - 1) > MostClockMove)
    fmt::print("the core runs at {}, and at {} when the profile was made\n",
               quantity(Of.ClockHz, "Hz"), quantity(*Of.ProfileClockHz, "Hz"));
  if (Of.Samples.Preempted + Of.Samples.ClockMoved)
    fmt::print("dropped: {} samples with something else on the processor, {} with a clock that "
               "moved\n",
               Of.Samples.Preempted, Of.Samples.ClockMoved);
  printList("not measured, too few good samples", Of.Unmeasured);
  printList("of disturbed samples too", Of.Disturbed);
  printList("intervals wider than wanted", Of.Wide);
  printList("left out", Plan.LeftOut);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static Json toJson(const Interval &Of) {
  return {{"value", Of.Value}, {"low", Of.Low}, {"high", Of.High}};
}

static Json toJson(const VerifiedCase &Of) {
  Json Result = {{"kernel", Of.Of.Kernel->Name},
                 {"group", Of.Of.Kernel->Group},
                 {"level", Of.Of.Level},
                 {"threads", Of.Of.Threads},
                 {"bytes", Of.Bytes},
                 {"set", Of.Given},
                 {"known_from_data", Of.Known},
                 {"places", Of.Places},
                 {"predicted", nullptr},
                 {"measured", nullptr},
                 {"time_ratio", nullptr}};
  if (Of.Predicted)
    Result["predicted"] = {
        {"time_s", toJson(Of.Predicted->TimeS)},
        {"energy_j", Of.Predicted->Missing.empty() ? toJson(Of.Predicted->EnergyJ) : nullptr},
        {"bound", Of.Predicted->Bound},
        {"untimed", Of.Predicted->Untimed}};
  else
    Result["not_predicted"] = Of.NotPredicted;
  if (Of.Seconds)
    Result["measured"] = {
        {"time_s", toJson(Interval{Of.Seconds->Median, Of.Seconds->Low, Of.Seconds->High})},
        {"samples", Of.Seconds->Samples},
        {"outliers", Of.Seconds->Outliers},
        {"energy_j", nullptr}};
  if (const auto Ratio = Of.timeRatio())
    Result["time_ratio"] = *Ratio;
  return Result;
}

void printVerificationJson(const VerificationResult &Of, const VerificationPlan &Plan) {
  Json Document = {
      {"schema", "ergon-verification/1"},
      {"machine", Plan.Machine},
      {"variant", Plan.Variant.Name},
      {"cases", Json::array()},
      {"errors", Json::object()},
      {"clock_hz", Of.ClockHz},
      {"profile_clock_hz", nullptr},
      {"dropped", {{"preempted", Of.Samples.Preempted}, {"clock_moved", Of.Samples.ClockMoved}}},
      {"unmeasured", Of.Unmeasured},
      {"disturbed", Of.Disturbed},
      {"wide", Of.Wide},
      {"left_out", Plan.LeftOut}};
  if (Of.ProfileClockHz)
    Document["profile_clock_hz"] = *Of.ProfileClockHz;
  for (const VerifiedCase &Each : Of.Cases)
    Document["cases"].push_back(toJson(Each));
  for (const auto &[Group, Ratios] : groupRatios(Of.Cases))
    if (const auto Errors = errorsOf(Ratios))
      Document["errors"][Group] = {{"cases", Errors->Cases},
                                   {"median", Errors->Median},
                                   {"percentile_90", Errors->Percentile90},
                                   {"largest", Errors->Largest}};
  fmt::print("{}\n", Document.dump(2, ' ', false, Json::error_handler_t::replace));
}

} // namespace ergon
