//===- ProgramVerificationView.cpp - a program, predicted and measured ----===//

#include "predict/text/Text.h"
#include "tools/verify/ProgramVerification.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vector>

namespace ergon {

using Json = nlohmann::ordered_json;

/// What the whole part is predicted to take: all calls of the entry.
static std::optional<Interval> times(const VerifiedProgram &Of, Interval CostIntervals::*What) {
  if (!Of.Predicted.OnMachine)
    return std::nullopt;
  const Interval One = (*Of.Predicted.OnMachine).*What;
  if (One.Value == 0) // the profile knows of none
    return std::nullopt;
  return Interval{One.Value * Of.Calls, One.Low * Of.Calls, One.High * Of.Calls};
}

/// Predicted over measured.
static std::optional<double> ratio(const std::optional<Interval> &Predicted, double Measured) {
  if (!Predicted || Measured <= 0)
    return std::nullopt;
  return Predicted->Value / Measured;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void printRow(const std::string &What, const std::string &Predicted,
                     const std::string &Measured, std::optional<double> Ratio) {
  fmt::print("{:<22} {:>16} {:>16} {:>10}\n", What, Predicted, Measured,
             Ratio ? fmt::format("{:+.1f} %", 100 * (*Ratio - 1)) : "");
}

static std::string numeral(const Rational &Value) {
  return Value.isInteger() ? Value.get_str() : fmt::format("{:.6g}", Value.get_d());
}

static void printCounts(const VerifiedProgram &Of) {
  if (!Of.Counted) {
    fmt::print("counts: the program counts nothing; {}\n",
               Of.NotCounted.empty() ? "`ergon record --instrument` builds one that does"
                                     : Of.NotCounted);
    return;
  }
  for (const auto &[Class, Value] : *Of.Counted) {
    const auto Found = Of.Predicted.Counts.Values.find(Class);
    const bool Both = Found != Of.Predicted.Counts.Values.end() && Value != Rational(0);
    printRow(Class, Found == Of.Predicted.Counts.Values.end() ? "?" : numeral(Found->second),
             numeral(Value),
             Both ? std::optional(Found->second.get_d() / Value.get_d()) : std::nullopt);
  }
}

void printProgram(const VerifiedProgram &Of, const VerifyOptions &Options) {
  const MeasuredPart &Measured = Of.Measured;
  if (Options.Region.empty())
    fmt::print("the whole run of {}\n", Options.Command[0]);
  else
    fmt::print("region {}, a mean of {} time{}\n", Options.Region, Measured.Times,
               Measured.Times == 1 ? "" : "s");
  printRow("", "predicted", "measured", std::nullopt);
  const auto Time = times(Of, &CostIntervals::TimeS), Energy = times(Of, &CostIntervals::EnergyJ);
  printRow("time", Time ? quantity(Time->Value, "s") : "?", quantity(Measured.TimeS, "s"),
           ratio(Time, Measured.TimeS));
  for (const MeasuredPart::Energy &Each : Measured.EnergyJ)
    printRow("energy", Energy ? quantity(Energy->Value, "J") : "?", quantity(Each.Joules, "J"),
             ratio(Energy, Each.Joules));
  if (Measured.EnergyJ.empty())
    printRow("energy", Energy ? quantity(Energy->Value, "J") : "?", "not measured", std::nullopt);
  printCounts(Of);
  for (const MeasuredPart::Energy &Each : Measured.EnergyJ)
    fmt::print("energy is of {}, which covers {}, whoever used it{}\n", Each.Meter, Each.Covers,
               Each.Why.empty() ? "" : "; not all of it: " + Each.Why);
  for (const UnreadMeter &Each : Measured.Unread)
    fmt::print("not read: {}: {}\n", Each.Name, Each.Why);
  if (Measured.Threads > 1)
    fmt::print("in {} threads: time{} of each are counted{}\n", Measured.Threads,
               Measured.EnergyJ.empty() ? "" : " and energy",
               Options.Region.empty() ? "" : ", the mean is that of one");
  if (!Of.FromRun.empty())
    fmt::print("values of these unknowns are the run's own: {}\n",
               joined({Of.FromRun.begin(), Of.FromRun.end()}));
  if (!Of.Predicted.NotPriced.empty())
    fmt::print("time and energy are not predicted: the profile has no cost for {}\n",
               joined(Of.Predicted.NotPriced));
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static Json toJson(const std::optional<Interval> &Of) {
  if (!Of)
    return nullptr;
  return {{"value", Of->Value}, {"low", Of->Low}, {"high", Of->High}};
}

static Json countsToJson(const std::map<std::string, Rational> &Of) {
  Json Result = Json::object();
  for (const auto &[Class, Value] : Of)
    Result[Class] = Value.get_d();
  return Result;
}

void printProgramJson(const VerifiedProgram &Of, const VerifyOptions &Options) {
  const auto Time = times(Of, &CostIntervals::TimeS), Energy = times(Of, &CostIntervals::EnergyJ);
  Json Meters = Json::array(), Unread = Json::array();
  for (const MeasuredPart::Energy &Each : Of.Measured.EnergyJ)
    Meters.push_back({{"meter", Each.Meter},
                      {"covers", Each.Covers},
                      {"energy_j", Each.Joules},
                      {"why", Each.Why}});
  for (const UnreadMeter &Each : Of.Measured.Unread)
    Unread.push_back({{"name", Each.Name}, {"why", Each.Why}});
  Json Document = {{"schema", "ergon-program-verification/1"},
                   {"entry", Options.Entry.Entry},
                   {"machine", Of.Predicted.Machine},
                   {"region", Options.Region},
                   {"calls", Of.Calls},
                   {"predicted",
                    {{"time_s", toJson(Time)},
                     {"energy_j", toJson(Energy)},
                     {"counts", countsToJson(Of.Predicted.Counts.Values)}}},
                   {"measured",
                    {{"times", Of.Measured.Times},
                     {"threads", Of.Measured.Threads},
                     {"time_s", Of.Measured.TimeS},
                     {"energy", Meters},
                     {"unread_meters", Unread},
                     {"counts", nullptr}}},
                   {"time_ratio", nullptr},
                   {"from_run", Of.FromRun},
                   {"unbound", Of.Predicted.Counts.Unbound}};
  if (Of.Counted)
    Document["measured"]["counts"] = countsToJson(*Of.Counted);
  if (const auto Ratio = ratio(Time, Of.Measured.TimeS))
    Document["time_ratio"] = *Ratio;
  fmt::print("{}\n", Document.dump(2, ' ', false, Json::error_handler_t::replace));
}

} // namespace ergon
