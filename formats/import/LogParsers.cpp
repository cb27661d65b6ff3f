//===- LogParsers.cpp - what readers of power logs share ------------------===//

#include "formats/import/LogParsers.h"

#include <algorithm>

namespace ergon {

std::optional<Error> addReading(ToolLog &Result, const std::string &Device,
                                const PowerReading &Reading, const LogLine &Line) {
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

void noteLeftOut(std::size_t NoPower, std::size_t Other, ToolLog &Result) {
  if (NoPower)
    Result.Notes.push_back(std::to_string(NoPower) + " readings have no power and were left out");
  if (Other)
    Result.Notes.push_back(std::to_string(Other) + " lines are no readings and were left out");
}

} // namespace ergon
