//===- LogParsers.cpp - what readers of power logs share ------------------===//

#include "formats/import/LogParsers.h"

#include "model/machine/PlausibleRanges.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace ergon {

std::optional<Error> addReading(ToolLog &Result, const std::string &Device,
                                const PowerReading &Reading, const LogLine &Line) {
  if (auto Bad = impossible(Line, "the power", LogQuantity::Power, Reading.PowerW))
    return Bad;
  for (const auto &[Clock, Name] :
       {std::pair(Reading.CoreMhz, "the core's clock"), {Reading.MemMhz, "the memory's clock"}})
    if (Clock)
      if (auto Bad = impossible(Line, Name, LogQuantity::Frequency, *Clock * 1e6))
        return Bad;
  auto Log = std::ranges::find(Result.Power, Device, &PowerLog::Device);
  if (Log == Result.Power.end())
    Log = Result.Power.insert(Log, PowerLog{Device});
  if (!Log->Readings.empty() && Reading.AtS < Log->Readings.back().AtS)
    return lineError(Line, "the time is earlier than that of the reading before",
                     "where the clock was set or two logs were joined, cut the file in two there");
  if (!Log->Readings.empty() && Reading.AtS == Log->Readings.back().AtS)
    Log->Readings.back() = Reading; // of one moment the last one
  else
    Log->Readings.push_back(Reading);
  return std::nullopt;
}

std::optional<Error> impossibleAt(const std::string &Position, const std::string &Name,
                                  LogQuantity Quantity, double Value) {
  struct Range {
    double Least, Most, PerUnit;
    const char *Unit;
  };
  const Range R = [&]() -> Range {
    switch (Quantity) {
    case LogQuantity::Time:
      return {0, MostTimeS, 1, " s"};
    case LogQuantity::Energy:
      return {0, MostEnergyJ, 1, " J"};
    case LogQuantity::Power:
      return {0, MostPowerW, 1, " W"};
    case LogQuantity::Frequency:
      return {LeastMhz, MostMemMhz, 1e-6, " MHz"};
    case LogQuantity::Bytes:
    case LogQuantity::Count:
      break;
    }
    return {0, MostCount, 1, ""};
  }();
  const double InUnits = Value * R.PerUnit;
  if (InUnits >= R.Least && InUnits <= R.Most)
    return std::nullopt;
  return Error{
      Name + " is " + shortNumber(InUnits) + R.Unit + ", which no run has: at " +
          (InUnits < R.Least ? "least " + shortNumber(R.Least) : "most " + shortNumber(R.Most)),
      Position, "correct the unit, or leave it out and measure again", ""};
}

std::optional<Error> impossible(const LogLine &Line, const std::string &Name, LogQuantity Quantity,
                                double Value) {
  return impossibleAt("line " + std::to_string(Line.Number), Name, Quantity, Value);
}

bool isNoValue(std::string_view Cell) {
  std::string Text(trimmed(Cell));
  std::ranges::transform(Text, Text.begin(), [](unsigned char C) { return char(std::tolower(C)); });
  return Text.starts_with('<') || Text == "n/a" || Text == "nan" || Text == "inf";
}

void noteLost(const std::set<std::string> &Counters, ToolLog &Result) {
  if (!Counters.empty())
    Result.Findings.push_back(
        {"counter-lost",
         "has no value of " + listed(std::vector<std::string>(Counters.begin(), Counters.end())) +
             ": their classes are blank; profile again, a run for each of these counters"});
}

LogFinding energyInPart(const std::string &Package, const std::vector<std::string> &Parts) {
  return {"energy-in-part", "energy_j is blank, since the package's energy is missing, or was not "
                            "counted all the time: " +
                                listed(Parts) + " alone " + (Parts.size() == 1 ? "is" : "are") +
                                " no energy of the run; measure " + Package + " too"};
}

void noteLeftOut(std::size_t NoPower, std::size_t Other, ToolLog &Result) {
  if (NoPower)
    Result.Notes.push_back(std::to_string(NoPower) + " readings have no power and were left out");
  if (Other)
    Result.Notes.push_back(std::to_string(Other) + " lines are no readings and were left out");
}

} // namespace ergon
