//===- VerificationView.cpp - shows predictions and measurements ----------===//

#include "model/fit/FitErrors.h"
#include "predict/text/Text.h"
#include "tools/base/Measuring.h"
#include "tools/verify/Verification.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace ergon {

using Json = nlohmann::ordered_json;

void printHeading(bool HasEnergy) {
  fmt::print("{:<18} {:<5} {:>7} {:>10} {:>11} {:>11} {:>8}{}\n", "kernel", "level", "threads",
             "data", "predicted", "measured", "error",
             HasEnergy ? fmt::format(" {:>11} {:>11} {:>8}", "predicted", "measured", "error")
                       : "");
}

static std::string percent(const std::optional<double> &Ratio) {
  return Ratio ? fmt::format("{:+.1f} %", 100 * (*Ratio - 1)) : "";
}

void printCase(const VerifiedCase &Case, bool HasEnergy) {
  fmt::print("{:<18} {:<5} {:>7} {:>10} {:>11} {:>11} {:>8}", Case.Case.Kernel->Name,
             Case.Case.Level, Case.Case.Threads,
             Case.Bytes ? fmt::format("{} KiB", (Case.Bytes + 512) / 1024) : "-",
             Case.Predicted ? quantity(Case.Predicted->TimeS.Value, "s") : "?",
             Case.Seconds ? quantity(Case.Seconds->Median, "s") : "?", percent(Case.timeRatio()));
  if (HasEnergy)
    fmt::print(" {:>11} {:>11} {:>8}",
               Case.energyRatio() || (Case.Predicted && Case.Predicted->EnergyJ.Value > 0)
                   ? quantity(Case.Predicted->EnergyJ.Value, "J")
                   : "?",
               Case.Joules ? quantity(*Case.Joules, "J") : "?", percent(Case.energyRatio()));
  fmt::print("{}\n", Case.NotPredicted.empty() ? "" : "  not predicted: " + Case.NotPredicted);
  std::fflush(stdout);
}

static void printList(const char *What, const std::vector<std::string> &Texts) {
  if (!Texts.empty())
    fmt::print("{}: {}\n", What, fmt::join(Texts, "; "));
}

static void printErrors(const char *Subject, const ErrorGroups &Groups) {
  fmt::print("\n{:<20} {:>5} {:>9} {:>16} {:>9}\n", fmt::format("error of {}", Subject), "cases",
             "median", "90th percentile", "largest");
  for (const auto &[Group, Values] : Groups)
    if (const FitErrors Errors = errorsOf(Values); Errors.Count)
      fmt::print("{:<20} {:>5} {:>7.1f} % {:>14.1f} % {:>7.1f} %\n", Group, Errors.Count,
                 100 * Errors.Median, 100 * Errors.Percentile90, 100 * Errors.Most);
    else
      fmt::print("{:<20} {:>5}\n", Group, 0);
}

void printSummary(const VerificationResult &Result, const VerificationPlan &Plan) {
  printErrors("time", groupErrors(Result.Cases, &VerifiedCase::timeRatio));
  if (Result.HasMeter)
    printErrors("energy", groupErrors(Result.Cases, &VerifiedCase::energyRatio));
  fmt::print(
      "\ntime of a run, where data are as the run before left them; with several threads each "
      "has its own data\n");
  std::vector<std::string> Known;
  for (const VerifiedCase &VC : Result.Cases)
    if (!VC.Known.empty() && std::ranges::find(Known, VC.Case.Kernel->Name) == Known.end())
      Known.emplace_back(VC.Case.Kernel->Name);
  printList("unknowns were bound by what is known of the data", Known);
  fmt::print("energy: {}{}\n", Result.HasMeter ? "by " : "not measured: ", Result.Meter);
  if (Result.ProfileClockHz &&
      std::abs(Result.ClockHz / *Result.ProfileClockHz - 1) > MostClockMove)
    fmt::print("the core runs at {}, and at {} when the profile was made\n",
               quantity(Result.ClockHz, "Hz"), quantity(*Result.ProfileClockHz, "Hz"));
  for (const MemoryRate &Rate : Result.MemoryRates)
    fmt::print("memory gave {} to loads on {} thread{}, {} to {} mostly{}\n",
               quantity(Rate.Median, "B/s"), Rate.Threads, Rate.Threads == 1 ? "" : "s",
               quantity(Rate.Low, "B/s"), quantity(Rate.High, "B/s"),
               Rate.Profile
                   ? fmt::format("; {} when the profile was made", quantity(*Rate.Profile, "B/s"))
                   : "");
  if (Result.Samples.dropped())
    fmt::print("dropped: {}\n", dropped(Result.Samples));
  printList("not measured, too few good samples", Result.Unmeasured);
  printList("of disturbed samples too", Result.Disturbed);
  printList("intervals wider than wanted", Result.Wide);
  printList("left out", Plan.LeftOut);
}

static Json toJson(const Interval &I) {
  return {{"value", I.Value}, {"low", I.Low}, {"high", I.High}};
}

static Json toJson(const VerifiedCase &VC) {
  Json Result = {{"kernel", VC.Case.Kernel->Name},
                 {"group", VC.Case.Kernel->Group},
                 {"level", VC.Case.Level},
                 {"threads", VC.Case.Threads},
                 {"bytes", VC.Bytes},
                 {"set", VC.Given},
                 {"known_from_data", VC.Known},
                 {"places", VC.Places},
                 {"predicted", nullptr},
                 {"measured", nullptr},
                 {"time_ratio", nullptr}};
  if (VC.Predicted)
    Result["predicted"] = {
        {"time_s", toJson(VC.Predicted->TimeS)},
        {"energy_j", VC.Predicted->Missing.empty() ? toJson(VC.Predicted->EnergyJ) : nullptr},
        {"bound", VC.Predicted->Bound},
        {"untimed", VC.Predicted->Untimed}};
  else
    Result["not_predicted"] = VC.NotPredicted;
  if (VC.Seconds)
    Result["measured"] = {
        {"time_s", toJson(Interval{VC.Seconds->Median, VC.Seconds->Low, VC.Seconds->High})},
        {"samples", VC.Seconds->Samples},
        {"outliers", VC.Seconds->Outliers},
        {"energy_j", nullptr}};
  if (const auto Ratio = VC.timeRatio())
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
  for (const MemoryRate &Rate : Result.MemoryRates)
    Document["memory"].push_back(
        {{"threads", Rate.Threads},
         {"low_bytes_per_s", Rate.Low},
         {"median_bytes_per_s", Rate.Median},
         {"high_bytes_per_s", Rate.High},
         {"profile_bytes_per_s", Rate.Profile ? Json(*Rate.Profile) : Json()}});
  for (const VerifiedCase &Case : Result.Cases)
    Document["cases"].push_back(toJson(Case));
  for (const auto &[Key, Function] : {std::pair("errors", &VerifiedCase::timeRatio),
                                      std::pair("energy_errors", &VerifiedCase::energyRatio)})
    for (const auto &[Group, GroupError] : groupErrors(Result.Cases, Function))
      if (const FitErrors Errors = errorsOf(GroupError); Errors.Count)
        Document[Key][Group] = {{"cases", Errors.Count},
                                {"median", Errors.Median},
                                {"percentile_90", Errors.Percentile90},
                                {"largest", Errors.Most}};
  fmt::print("{}\n", Document.dump(2, ' ', false, Json::error_handler_t::replace));
}

} // namespace ergon
