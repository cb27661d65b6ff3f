//===- Devices.cpp - logs of several GPUs ---------------------------------===//

#include "model/measurements/SampleJoin.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <utility>

namespace ergon {

std::expected<std::string, Error> chosenDevice(const std::set<std::string> &Found,
                                               const std::string &Asked, const std::string &What) {
  const std::vector<std::string> All(Found.begin(), Found.end());
  if (Asked.empty() && Found.size() > 1)
    return std::unexpected(
        Error{"the " + What + " is of " + std::to_string(Found.size()) + " GPUs: " + listed(All),
              "", "choose one: --gpu " + All.front(), ""});
  // One tool has numbers of GPUs, another their names.
  auto IsNumber = [](const std::string &Name) {
    return std::ranges::all_of(Name, [](char C) { return C >= '0' && C <= '9'; });
  };
  if (!Asked.empty() && Found.size() == 1 && IsNumber(Asked) != IsNumber(All.front()))
    return All.front();
  if (!Asked.empty() && !Found.empty() && !Found.contains(Asked))
    return std::unexpected(Error{"the " + What + " has no GPU " + Asked, "",
                                 "it has " + listed(All), "--gpu " + Asked});
  return Asked.empty() && Found.size() == 1 ? All.front() : Asked;
}

std::expected<PowerLog, Error> joinedPower(const std::vector<ToolLog> &Logs,
                                           const std::string &Device) {
  std::set<std::string> Devices;
  for (const ToolLog &Log : Logs)
    for (const PowerLog &Power : Log.Power)
      if (!Power.Device.empty())
        Devices.insert(Power.Device);
  const auto Chosen = chosenDevice(Devices, Device, "power log");
  if (!Chosen)
    return std::unexpected(Chosen.error());
  std::vector<std::pair<const PowerLog *, const ToolLog *>> Parts;
  for (const ToolLog &Log : Logs)
    for (const PowerLog &Power : Log.Power)
      if (!Power.Readings.empty() && (Power.Device.empty() || Power.Device == *Chosen))
        Parts.emplace_back(&Power, &Log);
  std::ranges::sort(Parts, {}, [](const auto &Part) { return Part.first->Readings.front().AtS; });
  PowerLog Result{*Chosen};
  const ToolLog *Before = nullptr;
  for (const auto &[Power, Log] : Parts) {
    if (Before && Power->Readings.front().AtS <= Result.Readings.back().AtS)
      return std::unexpected(
          Error{"two power logs of the same time: " + Before->File + " and " + Log->File, "",
                "import them one after the other, the second with --append", ""});
    Result.Readings.insert(Result.Readings.end(), Power->Readings.begin(), Power->Readings.end());
    Before = Log;
  }
  return Result;
}

} // namespace ergon
