//===- ProgramVerificationView.cpp - a program, predicted and measured ----===//

#include "predict/text/Text.h"
#include "tools/verify/ProgramVerification.h"
#include "tools/view/EstimatesView.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vector>

namespace ergon {

using Json = nlohmann::ordered_json;

/// What the whole part is predicted to take: all calls of the entry.
static std::optional<Interval> times(const VerifiedProgram &Program,
                                     Interval CostIntervals::*What) {
  if (!Program.Predicted.OnMachine)
    return std::nullopt;
  const Interval I = (*Program.Predicted.OnMachine).*What;
  if (I.Value == 0) // the profile knows of none
    return std::nullopt;
  return Interval{I.Value * Program.Calls, I.Low * Program.Calls, I.High * Program.Calls};
}

/// Predicted over measured.
static std::optional<double> ratio(const std::optional<Interval> &Predicted, double Measured) {
  if (!Predicted || Measured <= 0)
    return std::nullopt;
  return Predicted->Value / Measured;
}

static void printRow(const std::string &What, const std::string &Predicted,
                     const std::string &Measured, std::optional<double> Ratio) {
  fmt::print("{:<22} {:>16} {:>16} {:>10}\n", What, Predicted, Measured,
             Ratio ? fmt::format("{:+.1f} %", 100 * (*Ratio - 1)) : "");
}

static void printCounts(const VerifiedProgram &Program) {
  if (!Program.Counted) {
    fmt::print("counts: the program counts nothing; {}\n",
               Program.NotCounted.empty() ? "`ergon record --instrument` builds one that does"
                                          : Program.NotCounted);
    return;
  }
  for (const auto &[Class, Value] : *Program.Counted) {
    const auto Found = Program.Predicted.Counts.Values.find(Class);
    const bool Flag = Found != Program.Predicted.Counts.Values.end() && Value != Rational(0);
    printRow(Class, Found == Program.Predicted.Counts.Values.end() ? "?" : numeral(Found->second),
             numeral(Value),
             Flag ? std::optional(Found->second.get_d() / Value.get_d()) : std::nullopt);
  }
}

void printProgram(const VerifiedProgram &Program, const VerifyOptions &Options) {
  const MeasuredPart &Measured = Program.Measured;
  if (Options.Region.empty())
    fmt::print("the whole run of {}\n", Options.Command[0]);
  else
    fmt::print("region {}, a mean of {} time{}\n", Options.Region, Measured.Times,
               Measured.Times == 1 ? "" : "s");
  printRow("", "predicted", "measured", std::nullopt);
  const auto Time = times(Program, &CostIntervals::TimeS),
             Energy = times(Program, &CostIntervals::EnergyJ);
  printRow("time", Time ? quantity(Time->Value, "s") : "?", quantity(Measured.TimeS, "s"),
           ratio(Time, Measured.TimeS));
  for (const MeasuredPart::Energy &E : Measured.EnergyJ)
    printRow("energy", Energy ? quantity(Energy->Value, "J") : "?", quantity(E.Joules, "J"),
             ratio(Energy, E.Joules));
  if (Measured.EnergyJ.empty())
    printRow("energy", Energy ? quantity(Energy->Value, "J") : "?", "not measured", std::nullopt);
  printCounts(Program);
  for (const MeasuredPart::Energy &Element : Measured.EnergyJ)
    fmt::print("energy is of {}, which covers {}, whoever used it{}\n", Element.Meter,
               Element.Covers, Element.Why.empty() ? "" : "; not all of it: " + Element.Why);
  for (const UnreadMeter &Meter : Measured.Unread)
    fmt::print("not read: {}: {}\n", Meter.Name, Meter.Why);
  if (Measured.Threads > 1)
    fmt::print("in {} threads: time{} of each are counted{}\n", Measured.Threads,
               Measured.EnergyJ.empty() ? "" : " and energy",
               Options.Region.empty() ? "" : ", the mean is that of one");
  if (!Program.FromRun.empty())
    fmt::print("values of these unknowns are the run's own: {}\n",
               joined({Program.FromRun.begin(), Program.FromRun.end()}));
  if (!Program.Predicted.NotPriced.empty())
    fmt::print("time and energy are not predicted: the profile has no cost for {}\n",
               joined(Program.Predicted.NotPriced));
}

static Json toJson(const std::optional<Interval> &I) {
  if (!I)
    return nullptr;
  return {{"value", I->Value}, {"low", I->Low}, {"high", I->High}};
}

static Json countsToJson(const std::map<std::string, Rational> &Rationals) {
  Json Result = Json::object();
  for (const auto &[Class, Value] : Rationals)
    Result[Class] = Value.get_d();
  return Result;
}

void printProgramJson(const VerifiedProgram &Program, const VerifyOptions &Options) {
  const auto Time = times(Program, &CostIntervals::TimeS),
             Energy = times(Program, &CostIntervals::EnergyJ);
  Json Meters = Json::array(), Unread = Json::array();
  for (const MeasuredPart::Energy &E : Program.Measured.EnergyJ)
    Meters.push_back(
        {{"meter", E.Meter}, {"covers", E.Covers}, {"energy_j", E.Joules}, {"why", E.Why}});
  for (const UnreadMeter &Meter : Program.Measured.Unread)
    Unread.push_back({{"name", Meter.Name}, {"why", Meter.Why}});
  Json Document = {{"schema", "ergon-program-verification/1"},
                   {"entry", Options.Entry.Entry},
                   {"machine", Program.Predicted.Machine},
                   {"region", Options.Region},
                   {"calls", Program.Calls},
                   {"predicted",
                    {{"time_s", toJson(Time)},
                     {"energy_j", toJson(Energy)},
                     {"counts", countsToJson(Program.Predicted.Counts.Values)}}},
                   {"measured",
                    {{"times", Program.Measured.Times},
                     {"threads", Program.Measured.Threads},
                     {"time_s", Program.Measured.TimeS},
                     {"energy", Meters},
                     {"unread_meters", Unread},
                     {"counts", nullptr}}},
                   {"time_ratio", nullptr},
                   {"from_run", Program.FromRun},
                   {"unbound", Program.Predicted.Counts.Unbound}};
  if (Program.Counted)
    Document["measured"]["counts"] = countsToJson(*Program.Counted);
  if (const auto Ratio = ratio(Time, Program.Measured.TimeS))
    Document["time_ratio"] = *Ratio;
  fmt::print("{}\n", Document.dump(2, ' ', false, Json::error_handler_t::replace));
}

} // namespace ergon
