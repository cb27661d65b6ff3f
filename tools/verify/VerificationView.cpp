//===- VerificationView.cpp - predicted beside measured, shown ------------===//

#include "model/fit/FitErrors.h"
#include "predict/text/Text.h"
#include "tools/base/Measuring.h"
#include "tools/verify/Verification.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>

namespace ergon {

using Json = nlohmann::ordered_json;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void printHeading(bool HasEnergy) {
  fmt::print("{:<18} {:<5} {:>7} {:>10} {:>11} {:>11} {:>8}{}\n", "kernel", "level", "threads",
             "data", "predicted", "measured", "error",
             HasEnergy ? fmt::format(" {:>11} {:>11} {:>8}", "predicted", "measured", "error")
                       : "");
}

static std::string percent(const std::optional<double> &Ratio) {
  return Ratio ? fmt::format("{:+.1f} %", 100 * (*Ratio - 1)) : "";
}

void printCase(const VerifiedCase &Of, bool HasEnergy) {
  fmt::print("{:<18} {:<5} {:>7} {:>10} {:>11} {:>11} {:>8}", Of.Of.Kernel->Name, Of.Of.Level,
             Of.Of.Threads, Of.Bytes ? fmt::format("{} KiB", (Of.Bytes + 512) / 1024) : "-",
             Of.Predicted ? quantity(Of.Predicted->TimeS.Value, "s") : "?",
             Of.Seconds ? quantity(Of.Seconds->Median, "s") : "?", percent(Of.timeRatio()));
  if (HasEnergy)
    fmt::print(" {:>11} {:>11} {:>8}",
               Of.energyRatio() || (Of.Predicted && Of.Predicted->EnergyJ.Value > 0)
                   ? quantity(Of.Predicted->EnergyJ.Value, "J")
                   : "?",
               Of.Joules ? quantity(*Of.Joules, "J") : "?", percent(Of.energyRatio()));
  fmt::print("{}\n", Of.NotPredicted.empty() ? "" : "  not predicted: " + Of.NotPredicted);
  std::fflush(stdout);
}

static void printList(const char *What, const std::vector<std::string> &Of) {
  if (!Of.empty())
    fmt::print("{}: {}\n", What, fmt::join(Of, "; "));
}

static void printErrors(const char *Of, const ErrorGroups &Groups) {
  fmt::print("\n{:<20} {:>5} {:>9} {:>16} {:>9}\n", fmt::format("error of {}", Of), "cases",
             "median", "90th percentile", "largest");
  for (const auto &[Group, Each] : Groups)
    if (const FitErrors Errors = errorsOf(Each); Errors.Count)
      fmt::print("{:<20} {:>5} {:>7.1f} % {:>14.1f} % {:>7.1f} %\n", Group, Errors.Count,
                 100 * Errors.Median, 100 * Errors.Percentile90, 100 * Errors.Most);
    else
      fmt::print("{:<20} {:>5}\n", Group, 0);
}

void printSummary(const VerificationResult &Of, const VerificationPlan &Plan) {
  printErrors("time", groupErrors(Of.Cases, &VerifiedCase::timeRatio));
  if (Of.HasMeter)
    printErrors("energy", groupErrors(Of.Cases, &VerifiedCase::energyRatio));
  fmt::print(
      "\ntime of a run, where data are as the run before left them; with several threads each "
      "has its own data\n");
  std::vector<std::string> Known;
  for (const VerifiedCase &Each : Of.Cases)
    if (!Each.Known.empty() && std::ranges::find(Known, Each.Of.Kernel->Name) == Known.end())
      Known.emplace_back(Each.Of.Kernel->Name);
  printList("unknowns were bound by what is known of the data", Known);
  fmt::print("energy: {}{}\n", Of.HasMeter ? "by " : "not measured: ", Of.Meter);
  if (Of.ProfileClockHz && std::abs(Of.ClockHz / *Of.ProfileClockHz - 1) > MostClockMove)
    fmt::print("the core runs at {}, and at {} when the profile was made\n",
               quantity(Of.ClockHz, "Hz"), quantity(*Of.ProfileClockHz, "Hz"));
  for (const MemoryRate &Each : Of.MemoryRates)
    fmt::print("memory gave {} to loads on {} thread{}, {} to {} mostly{}\n",
               quantity(Each.Median, "B/s"), Each.Threads, Each.Threads == 1 ? "" : "s",
               quantity(Each.Low, "B/s"), quantity(Each.High, "B/s"),
               Each.Profile
                   ? fmt::format("; {} when the profile was made", quantity(*Each.Profile, "B/s"))
                   : "");
  if (Of.Samples.dropped())
    fmt::print("dropped: {}\n", dropped(Of.Samples));
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

void printVerificationJson(const VerificationResult &Result, const VerificationPlan &Plan) {
  Json Document = {{"schema", "ergon-verification/1"},
                   {"machine", Plan.Machine},
                   {"variant", Plan.Variant.Name},
                   {"cases", Json::array()},
                   {"errors", Json::object()},
                   {"clock_hz", Result.ClockHz},
                   {"profile_clock_hz", nullptr},
                   {"memory", Json::array()},
                   {"dropped", droppedJson(Result.Samples)},
                   {"unmeasured", Result.Unmeasured},
                   {"disturbed", Result.Disturbed},
                   {"wide", Result.Wide},
                   {"left_out", Plan.LeftOut}};
  if (Result.ProfileClockHz)
    Document["profile_clock_hz"] = *Result.ProfileClockHz;
  for (const MemoryRate &Each : Result.MemoryRates)
    Document["memory"].push_back(
        {{"threads", Each.Threads},
         {"low_bytes_per_s", Each.Low},
         {"median_bytes_per_s", Each.Median},
         {"high_bytes_per_s", Each.High},
         {"profile_bytes_per_s", Each.Profile ? Json(*Each.Profile) : Json()}});
  for (const VerifiedCase &Each : Result.Cases)
    Document["cases"].push_back(toJson(Each));
  for (const auto &[Key, Of] : {std::pair("errors", &VerifiedCase::timeRatio),
                                std::pair("energy_errors", &VerifiedCase::energyRatio)})
    for (const auto &[Group, Each] : groupErrors(Result.Cases, Of))
      if (const FitErrors Errors = errorsOf(Each); Errors.Count)
        Document[Key][Group] = {{"cases", Errors.Count},
                                {"median", Errors.Median},
                                {"percentile_90", Errors.Percentile90},
                                {"largest", Errors.Most}};
  fmt::print("{}\n", Document.dump(2, ' ', false, Json::error_handler_t::replace));
}

} // namespace ergon
