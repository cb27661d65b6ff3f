//===- ReportRoofs.cpp - roofs and lines of a machine ---------------------===//

#include "formats/prediction/PredictionJson.h"
#include "model/energy/CacheRoofs.h"
#include "model/machine/CostClass.h"
#include "report/program/ReportProgram.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ergon {

using Json = nlohmann::ordered_json;

/// Classes of flops for which the machine has a rate; first those with a complete roofline.
static std::vector<std::string> flopsOf(const Machine &M, const Setting &Clocks) {
  std::vector<std::string> Result, Others;
  for (const auto &[Class, Rate] : M.Timing.Throughputs)
    if (isFlops(Class))
      (rooflineParameters(M, Clocks, Class) ? Result : Others).push_back(Class);
  std::ranges::move(Others, std::back_inserter(Result));
  return Result;
}

/// Eight to each power of two, from 1/64 to 1024 flops per byte.
static std::vector<double> intensities() {
  std::vector<double> Result;
  for (int Eighth = -6 * 8; Eighth <= 10 * 8; ++Eighth)
    Result.push_back(std::exp2(Eighth / 8.0));
  return Result;
}

static Json curvesOf(const RooflineParameters &Parameters) {
  Json Time = Json::array(), Arch = Json::array(), Power = Json::array();
  for (const double I : intensities()) {
    Time.push_back({I, 1 / Parameters.time(1, 1 / I)});
    Arch.push_back({I, 1 / Parameters.energy(1, 1 / I)});
    Power.push_back({I, Parameters.power(1, 1 / I)});
  }
  return {{"time", std::move(Time)}, {"arch", std::move(Arch)}, {"power", std::move(Power)}};
}

static Json ceilingsOf(const Machine &M, const Setting &Clocks, const CacheRoofs &Roofs) {
  Json Result = Json::array();
  for (const LevelRoof &Level : Roofs.Levels)
    Result.push_back(
        {{"name", Level.Level}, {"kind", "bandwidth"}, {"bytes_per_s", Level.BytesPerS}});
  for (const auto &[Class, Rate] : M.Timing.Throughputs)
    if (const auto Tau = M.timePerUnit(Class, Clocks); Tau && isFlops(Class))
      Result.push_back({{"name", Class}, {"kind", "flops"}, {"flops_per_s", 1 / *Tau}});
  return Result;
}

std::expected<Json, Error> ReportProgram::roofs(const ReportRequest &Asked) const {
  auto Target = target(Asked);
  if (!Target)
    return std::unexpected(Target.error());
  if (!Target->M)
    return std::unexpected(Error{"it is not said of which machine", "/machine", "name one", ""});
  const Machine &M = *Target->M;
  const std::vector<std::string> Classes = flopsOf(M, Target->Clocks);
  Json Result = {{"machine", M.Name}, {"setting", jsonOf(Target->Clocks)}, {"classes", Classes}};
  if (Classes.empty()) {
    Result["why"] = "the profile has no rate of flops";
    Result["flops"] = Result["balance"] = Result["curves"] = nullptr;
    Result["ceilings"] = Json::array();
    return Result;
  }
  const std::string Class = Asked.Flops.empty() ? Classes.front() : Asked.Flops;
  if (std::ranges::find(Classes, Class) == Classes.end())
    return std::unexpected(Error{"the profile has no rate of " + inQuotes(Class), "/flops",
                                 "name one of `classes`", M.Name});
  Result["flops"] = Class;
  if (const auto Parameters = rooflineParameters(M, Target->Clocks, Class)) {
    Result["balance"] = {{"time", Parameters->timeBalance()},
                         {"energy", Parameters->energyBalance()},
                         {"effective", Parameters->balancePoint()}};
    Result["curves"] = curvesOf(*Parameters);
  } else {
    Result["why"] = "the profile lacks a rate, an energy or the constant power";
    Result["balance"] = Result["curves"] = nullptr;
  }
  const CacheRoofs Roofs = cacheRoofs(M, Target->Clocks, Class);
  Result["ceilings"] = ceilingsOf(M, Target->Clocks, Roofs);
  Result["unknown"] = Roofs.Unknown;
  return Result;
}

} // namespace ergon
