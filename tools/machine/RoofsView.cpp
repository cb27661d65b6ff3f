//===- RoofsView.cpp - how cache-aware rooflines are shown ----------------===//

#include "tools/machine/RoofsView.h"
#include "model/machine/CostClass.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

using nlohmann::ordered_json;

namespace ergon {

static ordered_json hillToJson(const PowerHill &H) {
  ordered_json Result = {
      {"constant_w", H.ConstantW},
      {"flops_w", H.FlopsW},
      {"bytes_w", H.BytesW},
      {"top_w", H.topPower()},
      {"max_flops_per_j", H.maxEfficiency()},
      {"entry", {{"share", HighEfficiency}, {"intensity", H.entryPoint(HighEfficiency)}}}};
  if (H.Saturates)
    Result["saturation"] = {{"exponent", H.Saturates->Exponent.Value},
                            {"reference_w", H.Saturates->ReferenceW.Value}};
  return Result;
}

ordered_json roofsToJson(const CacheRoofs &Roofs) {
  ordered_json Result = {{"levels", ordered_json::object()}};
  for (const LevelRoof &Roof : Roofs.Levels) {
    ordered_json &Level = Result["levels"][Roof.Level] = {{"flops_per_s", Roof.FlopsPerS},
                                                          {"bytes_per_s", Roof.BytesPerS},
                                                          {"ridge", Roof.ridge()},
                                                          {"power", ordered_json::object()}};
    for (const auto &[Domain, Hill] : Roof.Hills)
      Level["power"][std::string(name(Domain))] = hillToJson(Hill);
  }
  Result["unknown"] = Roofs.Unknown;
  return Result;
}

std::vector<double> intensitiesAround(const CacheRoofs &Roofs, unsigned PerDoubling) {
  std::vector<double> Result;
  for (const LevelRoof &Level : Roofs.Levels)
    Result.push_back(Level.ridge());
  if (Result.empty())
    return Result;
  const auto [Low, High] = std::ranges::minmax(Result);
  for (double Step = PerDoubling * (std::floor(std::log2(Low)) - 4);
       Step <= PerDoubling * (std::ceil(std::log2(High)) + 4); ++Step)
    Result.push_back(std::exp2(Step / PerDoubling));
  std::ranges::sort(Result);
  Result.erase(std::ranges::unique(Result).begin(), Result.end());
  return Result;
}

const std::string RoofsHeading =
    fmt::format("{:<10} {:<7} {:>8} {:>8} {:<8} {:>8} {:>9} {:>8}", "class", "level", "GB/s",
                "ridge", "power of", "top W", "Gflop/J", "from");

void printRoofs(const std::vector<CacheRoofs> &Roofs, const std::string &Cells) {
  for (const CacheRoofs &CR : Roofs) {
    for (const LevelRoof &Roof : CR.Levels) {
      const std::string Level =
          fmt::format("{} {:<10} {:<7} {:>8.4g} {:>8.4g}", Cells, CR.FlopsClass, Roof.Level,
                      Roof.BytesPerS * 1e-9, Roof.ridge());
      if (Roof.Hills.empty())
        fmt::print("{} -\n", Level);
      for (const auto &[Domain, Hill] : Roof.Hills)
        fmt::print("{} {:<8} {:>8.4g} {:>9.4g} {:>8.4g}\n", Level, name(Domain), Hill.topPower(),
                   Hill.maxEfficiency() * 1e-9, Hill.entryPoint(HighEfficiency));
    }
  }
}

void printUnknown(const std::vector<CacheRoofs> &Roofs) {
  std::vector<std::string> Said;
  for (const CacheRoofs &Roof : Roofs)
    for (const std::string &What : Roof.Unknown)
      if (std::ranges::find(Said, What) == Said.end()) {
        fmt::print("not known: {}\n", What);
        Said.push_back(What);
      }
}

std::vector<RidgeMeeting> ridgeMeetings(const Machine &M, const Setting &Clocks) {
  std::vector<RidgeMeeting> Result;
  auto RateOf = [&](std::string_view Level) {
    auto Found = M.Timing.Throughputs.find(levelBytes(Level));
    return Found == M.Timing.Throughputs.end() ? nullptr : &Found->second;
  };
  for (std::string_view Inner : MemoryLevelNames)
    for (std::string_view Outer : MemoryLevelNames)
      if (const Throughput *Near = RateOf(Inner), *Far = RateOf(Outer); Near && Far)
        if (const auto Mhz = meetingCoreMhz(*Near, *Far, Clocks))
          Result.push_back({std::string(Inner), std::string(Outer), *Mhz});
  return Result;
}

void printMeetings(const Machine &M) {
  for (const RidgeMeeting &Meeting : ridgeMeetings(M, M.defaultSetting()))
    fmt::print("the ridge points of {} and {} meet at a core clock of {:.4g} MHz\n", Meeting.Inner,
               Meeting.Outer, Meeting.CoreMhz);
}

} // namespace ergon
