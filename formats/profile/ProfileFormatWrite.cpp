//===- ProfileFormatWrite.cpp - machine profiles: writing -----------------===//

#include "formats/json/SourceFormat.h"
#include "formats/profile/CacheFormat.h"
#include "formats/profile/ClusterFormat.h"
#include "formats/profile/DeviceFormat.h"
#include "formats/profile/HardwareFormat.h"
#include "formats/profile/PipelineFormat.h"
#include "formats/profile/PowerLawFormat.h"
#include "formats/profile/ProfileFormat.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace ergon {

using Json = nlohmann::ordered_json;

/// The members of \p Of that there are.
static Json
present(std::initializer_list<std::pair<const char *, const std::optional<double> &>> Of) {
  Json Result = Json::object();
  for (const auto &[Key, Value] : Of)
    if (Value)
      Result[Key] = *Value;
  return Result;
}

void to_json(Json &Into, const Setting &From) {
  Into = present({{"core_mhz", From.CoreMhz},
                  {"core_actual_mhz", From.ActualCoreMhz},
                  {"mem_mhz", From.MemMhz},
                  {"core_mv", From.CoreMv},
                  {"mem_mv", From.MemMv}});
}

static void addSettings(Json &Into, const Machine &M) {
  if (!M.defaultSetting().CoreMhz) // the single setting of a profile that lists none
    return;
  for (const Setting &S : M.Settings) {
    Json Each = S;
    Each["source"] = S.Source;
    Into["settings"].push_back(std::move(Each));
  }
  const Setting &Default = M.defaultSetting();
  Into["default_setting"] = present({{"core_mhz", Default.CoreMhz}, {"mem_mhz", Default.MemMhz}});
}

static Json throughput(const Throughput &Of) {
  Json Result = {{"per_s", Json(Of.PerS)}};
  if (Of.Clock) {
    Result["clock"] = name(*Of.Clock);
    Result["at_mhz"] = Of.AtMhz;
  }
  return Result;
}

static Json energy(const EnergyCost &Of) {
  if (!Of.Rail)
    return {{"j", Json(Of.Coefficient)}};
  return {{"j_per_v2", Json(Of.Coefficient)}, {"rail", name(*Of.Rail)}};
}

static Json constantPower(const ConstantPower &Of) {
  Json Result = {{"misc_w", Json(*Of.MiscW)}};
  if (Of.CoreWPerV)
    Result["core_w_per_v"] = Json(*Of.CoreWPerV);
  if (Of.MemWPerV)
    Result["mem_w_per_v"] = Json(*Of.MemWPerV);
  if (Of.CoreWPerMhzV2)
    Result["core_w_per_mhz_v2"] = Json(*Of.CoreWPerMhzV2);
  if (Of.MemWPerMhz)
    Result["mem_w_per_mhz"] = Json(*Of.MemWPerMhz);
  return Result;
}

static Json fit(const FitQuality &Of) {
  Json Result = Json::object();
  const std::pair<const char *, const std::optional<Quantity> &> Errors[] = {
      {"energy_error", Of.EnergyError},
      {"energy_choice_error", Of.EnergyChoiceError},
      {"time_error", Of.TimeError},
      {"time_choice_error", Of.TimeChoiceError}};
  for (const auto &[Key, Value] : Errors)
    if (Value)
      Result[Key] = Json(*Value);
  if (Of.Together)
    Result["covariance"] = {{"coefficients", Of.Together->Coefficients},
                            {"relative", Of.Together->Relative},
                            {"source", Of.Together->Source}};
  return Result;
}

Json profileDocument(const Machine &M) {
  Json Result = {{"schema", ProfileSchema}, {"name", M.Name}, {"description", M.Description}};
  if (M.Kind)
    Result["kind"] = name(*M.Kind);
  Result["sources"] = M.Sources;
  addSettings(Result, M);
  addPowerLaws(Result, M);
  Json &Throughputs = Result["throughput"] = Json::object();
  for (const auto &[Class, Each] : M.Timing.Throughputs)
    Throughputs[Class] = throughput(Each);
  Json &Energies = Result["energy"] = Json::object();
  for (const auto &[Class, Each] : M.Power.Energies)
    Energies[Class] = energy(Each);
  if (M.Power.Constant.MiscW)
    Result["constant_power"] = constantPower(M.Power.Constant);
  if (M.Power.Cap)
    Result["power_cap_w"] = Json(*M.Power.Cap);
  if (M.Timing.OverlapExponent)
    Result["overlap"] = {{"exponent", Json(*M.Timing.OverlapExponent)}};
  if (M.Timing.Switching)
    Result["switching"] = {{"time_s", Json(M.Timing.Switching->TimeS)},
                           {"energy_j", Json(M.Timing.Switching->EnergyJ)}};
  if (M.Topology.Cluster)
    Result["cluster"] = writeCluster(*M.Topology.Cluster);
  if (M.Fit.Quality)
    Result["fit"] = fit(*M.Fit.Quality);
  addHardware(Result, M);
  if (!M.Topology.Caches.empty())
    Result["caches"] = writeCaches(M.Topology.Caches);
  if (M.Timing.InCore)
    Result["pipeline"] = writePipeline(*M.Timing.InCore);
  if (M.Topology.Gpu)
    Result["device"] = writeDevice(*M.Topology.Gpu);
  return Result;
}

std::string writeProfile(const Machine &M) {
  return profileDocument(M).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ergon
