//===- SimulationFormat.cpp - ergon-simulation/1 --------------------------===//

#include "formats/cluster/SimulationFormat.h"

#include <nlohmann/json.hpp>

#include <charconv>

namespace ergon {

using Json = nlohmann::ordered_json;

static double relative(double Simulated, double Analytic) {
  return Simulated == Analytic ? 0 : Simulated / Analytic - 1;
}

double SimulationDocument::timeDifference() const {
  return relative(OnSimGrid.Result.MakespanS, Analytic.MakespanS);
}

double SimulationDocument::energyDifference() const {
  return relative(OnSimGrid.Result.energy(), Analytic.energy());
}

static Json outcome(const Outcome &Of, const Plan &Steps) {
  Json Result = {{"makespan_s", Of.MakespanS}, {"energy_j", Of.energy()}};
  Json &Hosts = Result["hosts"] = Json::array();
  for (std::size_t P = 0; P < Of.Processors.size(); ++P)
    Hosts.push_back({{"name", Steps.Processors[P].Name},
                     {"energy_j", Of.Processors[P].EnergyJ},
                     {"busy_s", Of.Processors[P].BusyS}});
  return Result;
}

static Json calibrated(const CalibratedKernel &Of) {
  const BlockCost &Cost = Of.Calibration.Cost;
  const double Blocks = double(Of.Blocks.Blocks);
  return {
      {"calibration", Of.Name},
      {"on", Of.On},
      {"level", Of.ByRounds ? "rounds" : "blocks"},
      {"blocks", Of.Blocks.Blocks},
      {"blocks_at_once", Of.Blocks.PerRound},
      {"blocks_at_once_from", Of.AtOnceFrom},
      {"rounds", Of.Blocks.rounds()},
      {"tail_blocks", Of.Blocks.tail()},
      {"filled", Of.Blocks.filled()},
      {"per_block_s", Cost.PerBlockS},
      {"fixed_s", Cost.FixedS},
      {"per_block_j", Cost.PerBlockJ},
      {"fixed_j", Of.Calibration.FixedJ},
      {"static_w", Cost.StaticW},
      {"time_residual_s", Of.Calibration.TimeResidualS},
      {"energy_residual_j", Of.Calibration.EnergyResidualJ},
      {"worst_time_error", Of.Calibration.WorstTime},
      {"worst_energy_error", Of.Calibration.WorstEnergy},
      {"round",
       {{"time_s", Of.Round.TimeS}, {"energy_j", Of.Round.EnergyJ}, {"power_w", Of.Round.power()}}},
      {"by_line", {{"time_s", Cost.time(Blocks)}, {"energy_j", Cost.energy(Blocks)}}},
      {"by_rounds",
       {{"time_s", Of.Round.time(Of.Blocks.Blocks)},
        {"energy_j", Of.Round.energy(Of.Blocks.Blocks)}}}};
}

std::string writeSimulation(const SimulationDocument &Of) {
  const Plan &Steps = Of.Of.Steps;
  Json Result = {
      {"schema", "ergon-simulation/1"},
      {"scenario", Of.Of.Name},
      {"simulated", outcome(Of.OnSimGrid.Result, Steps)},
      {"analytic", outcome(Of.Analytic, Steps)},
      {"difference", {{"time", Of.timeDifference()}, {"energy", Of.energyDifference()}}}};
  Json &Power = Result["power"] = Json::array();
  for (std::size_t P = 0; P < Of.OnSimGrid.Power.size(); ++P) {
    Json Own = Json::array();
    for (const PowerStep &Each : Of.OnSimGrid.Power[P])
      Own.push_back({{"from_s", Each.FromS}, {"power_w", Each.PowerW}});
    Power.push_back({{"host", Steps.Processors[P].Name}, {"steps", std::move(Own)}});
  }
  if (!Of.Of.Calibrated.empty()) {
    Json &Kernels = Result["calibrated"] = Json::array();
    for (const CalibratedKernel &Each : Of.Of.Calibrated)
      Kernels.push_back(calibrated(Each));
  }
  if (!Of.Of.Notes.empty())
    Result["notes"] = Of.Of.Notes;
  return Result.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

static std::string digits(double Value) {
  char Text[32];
  return std::string(Text, std::to_chars(Text, Text + sizeof Text, Value).ptr);
}

std::string writePowerCsv(const SimulationDocument &Of) {
  std::string Text = "host,from_s,power_w\n";
  for (std::size_t P = 0; P < Of.OnSimGrid.Power.size(); ++P)
    for (const PowerStep &Each : Of.OnSimGrid.Power[P])
      Text += Of.Of.Steps.Processors[P].Name + "," + digits(Each.FromS) + "," +
              digits(Each.PowerW) + "\n";
  return Text;
}

} // namespace ergon
