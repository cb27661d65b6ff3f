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

/// The members of \p Entries that there are.
static Json
present(std::initializer_list<std::pair<const char *, const std::optional<double> &>> Entries) {
  Json Result = Json::object();
  for (const auto &[Key, Value] : Entries)
    if (Value)
      Result[Key] = *Value;
  return Result;
}

void to_json(Json &Output, const Setting &From) {
  Output = present({{"core_mhz", From.CoreMhz},
                    {"core_actual_mhz", From.ActualCoreMhz},
                    {"mem_mhz", From.MemMhz},
                    {"core_mv", From.CoreMv},
                    {"mem_mv", From.MemMv}});
}

static void addSettings(Json &Output, const Machine &M) {
  if (!M.defaultSetting().CoreMhz) // the single setting of a profile that lists none
    return;
  for (const Setting &S : M.Settings) {
    Json J = S;
    J["source"] = S.Source;
    Output["settings"].push_back(std::move(J));
  }
  const Setting &Default = M.defaultSetting();
  Output["default_setting"] = present({{"core_mhz", Default.CoreMhz}, {"mem_mhz", Default.MemMhz}});
}

static Json throughput(const Throughput &T) {
  Json Result = {{"per_s", Json(T.PerS)}};
  if (T.Clock) {
    Result["clock"] = name(*T.Clock);
    Result["at_mhz"] = T.AtMhz;
  }
  return Result;
}

static Json energy(const EnergyCost &Cost) {
  if (!Cost.Rail)
    return {{"j", Json(Cost.Coefficient)}};
  return {{"j_per_v2", Json(Cost.Coefficient)}, {"rail", name(*Cost.Rail)}};
}

static Json constantPower(const ConstantPower &Power) {
  Json Result = {{"misc_w", Json(*Power.MiscW)}};
  if (Power.CoreWPerV)
    Result["core_w_per_v"] = Json(*Power.CoreWPerV);
  if (Power.MemWPerV)
    Result["mem_w_per_v"] = Json(*Power.MemWPerV);
  if (Power.CoreWPerMhzV2)
    Result["core_w_per_mhz_v2"] = Json(*Power.CoreWPerMhzV2);
  if (Power.MemWPerMhz)
    Result["mem_w_per_mhz"] = Json(*Power.MemWPerMhz);
  return Result;
}

static Json choiceLosses(const ChoiceLosses &Losses) {
  Json Result = {{"workloads", Losses.Workloads}, {"by_runs", Json::array()}};
  for (std::size_t Runs = 0; Runs != Losses.ByRuns.size(); ++Runs) {
    const ChoiceLosses::WithRuns &With = Losses.ByRuns[Runs];
    Result["by_runs"].push_back({{"runs", Runs},
                                 {"model", With.Model},
                                 {"combined", With.Combined},
                                 {"model_weight", With.ModelWeight}});
  }
  Result.update({{"fastest", Losses.Fastest},
                 {"slowest", Losses.Slowest},
                 {"fixed", Losses.Fixed},
                 {"fixed_core_mhz", *Losses.FixedSetting.CoreMhz}});
  if (Losses.FixedSetting.MemMhz)
    Result["fixed_mem_mhz"] = *Losses.FixedSetting.MemMhz;
  Result["source"] = Losses.Source;
  return Result;
}

static Json fit(const FitQuality &Quality) {
  Json Result = Json::object();
  const std::pair<const char *, const std::optional<Quantity> &> Errors[] = {
      {"energy_error", Quality.EnergyError},
      {"energy_choice_error", Quality.EnergyChoiceError},
      {"time_error", Quality.TimeError},
      {"time_error_below", Quality.TimeErrorBelow},
      {"time_choice_error", Quality.TimeChoiceError}};
  for (const auto &[Key, Value] : Errors)
    if (Value)
      Result[Key] = Json(*Value);
  if (Quality.JointCovariance)
    Result["covariance"] = {{"coefficients", Quality.JointCovariance->Coefficients},
                            {"relative", Quality.JointCovariance->Relative},
                            {"source", Quality.JointCovariance->Source}};
  if (Quality.Typical) {
    Json &Typical = Result["typical_energy"] = {{"settings", Json::array()},
                                                {"source", Quality.Typical->Source}};
    for (const TypicalEnergy::At &At : Quality.Typical->Settings) {
      Json Next = {{"core_mhz", *At.Clocks.CoreMhz}};
      if (At.Clocks.MemMhz)
        Next["mem_mhz"] = *At.Clocks.MemMhz;
      Next["relative"] = std::exp(At.LogEnergy);
      Typical["settings"].push_back(std::move(Next));
    }
  }
  if (Quality.Change) {
    Json &Change = Result["change_errors"] = {{"source", Quality.Change->Source}};
    for (const auto &[Key, Slopes] :
         {std::pair{"time", Quality.Change->Time}, std::pair{"power", Quality.Change->Power}})
      if (Slopes)
        Change[Key] = {
            {"core", Slopes->Core}, {"mem", Slopes->Mem}, {"correlation", Slopes->Correlation}};
  }
  if (Quality.Losses)
    Result["choice_losses"] = choiceLosses(*Quality.Losses);
  if (!Quality.Families.empty())
    Result["families"] = Quality.Families;
  return Result;
}

Json profileDocument(const Machine &M) {
  Json Result = {{"schema", ProfileSchema}, {"name", M.Name}, {"description", M.Description}};
  if (M.Kind)
    Result["kind"] = name(*M.Kind);
  if (!M.DataFor.empty())
    Result["data_for"] = M.DataFor;
  Result["sources"] = M.Sources;
  addSettings(Result, M);
  addPowerLaws(Result, M);
  Json &Throughputs = Result["throughput"] = Json::object();
  for (const auto &[Class, Throughput] : M.Timing.Throughputs)
    Throughputs[Class] = throughput(Throughput);
  Json &Energies = Result["energy"] = Json::object();
  for (const auto &[Class, Energy] : M.Power.Energies)
    Energies[Class] = energy(Energy);
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
