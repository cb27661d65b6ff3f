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

static Json outcome(const Outcome &O, const Plan &Steps) {
  Json Result = {{"makespan_s", O.MakespanS}, {"energy_j", O.energy()}};
  Json &Hosts = Result["hosts"] = Json::array();
  for (std::size_t P = 0; P < O.Processors.size(); ++P)
    Hosts.push_back({{"name", Steps.Processors[P].Name},
                     {"energy_j", O.Processors[P].EnergyJ},
                     {"slots", Steps.kindOf(P).Cores},
                     {"busy_s", O.Processors[P].BusyS}});
  return Result;
}

static Json calibrated(const CalibratedKernel &Kernel) {
  const BlockCost &Cost = Kernel.Calibration.Cost;
  const double Blocks = double(Kernel.Blocks.Blocks);
  return {{"calibration", Kernel.Name},
          {"on", Kernel.Text},
          {"level", Kernel.ByRounds ? "rounds" : "blocks"},
          {"blocks", Kernel.Blocks.Blocks},
          {"blocks_at_once", Kernel.Blocks.PerRound},
          {"blocks_at_once_from", Kernel.AtOnceFrom},
          {"rounds", Kernel.Blocks.rounds()},
          {"tail_blocks", Kernel.Blocks.tail()},
          {"filled", Kernel.Blocks.filled()},
          {"per_block_s", Cost.PerBlockS},
          {"fixed_s", Cost.FixedS},
          {"per_block_j", Cost.PerBlockJ},
          {"fixed_j", Kernel.Calibration.FixedJ},
          {"static_w", Cost.StaticW},
          {"time_residual_s", Kernel.Calibration.TimeResidualS},
          {"energy_residual_j", Kernel.Calibration.EnergyResidualJ},
          {"worst_time_error", Kernel.Calibration.WorstTime},
          {"worst_energy_error", Kernel.Calibration.WorstEnergy},
          {"round",
           {{"time_s", Kernel.Round.TimeS},
            {"energy_j", Kernel.Round.EnergyJ},
            {"power_w", Kernel.Round.power()}}},
          {"by_line", {{"time_s", Cost.time(Blocks)}, {"energy_j", Cost.energy(Blocks)}}},
          {"by_rounds",
           {{"time_s", Kernel.Round.time(Kernel.Blocks.Blocks)},
            {"energy_j", Kernel.Round.energy(Kernel.Blocks.Blocks)}}}};
}

std::string writeSimulation(const SimulationDocument &Document) {
  const Plan &Steps = Document.Subject.Steps;
  Json Result = {{"schema", "ergon-simulation/1"},
                 {"scenario", Document.Subject.Name},
                 {"simulated", outcome(Document.OnSimGrid.Result, Steps)},
                 {"analytic", outcome(Document.Analytic, Steps)},
                 {"difference",
                  {{"time", Document.timeDifference()}, {"energy", Document.energyDifference()}}}};
  Json &Power = Result["power"] = Json::array();
  for (std::size_t P = 0; P < Document.OnSimGrid.Power.size(); ++P) {
    Json Own = Json::array();
    for (const PowerStep &Step : Document.OnSimGrid.Power[P])
      Own.push_back({{"from_s", Step.FromS}, {"power_w", Step.PowerW}});
    Power.push_back({{"host", Steps.Processors[P].Name}, {"steps", std::move(Own)}});
  }
  if (!Document.Subject.Calibrated.empty()) {
    Json &Kernels = Result["calibrated"] = Json::array();
    for (const CalibratedKernel &Kernel : Document.Subject.Calibrated)
      Kernels.push_back(calibrated(Kernel));
  }
  if (!Document.Subject.Notes.empty())
    Result["notes"] = Document.Subject.Notes;
  return Result.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

static std::string digits(double Value) {
  char Text[32];
  return std::string(Text, std::to_chars(Text, Text + sizeof Text, Value).ptr);
}

std::string writePowerCsv(const SimulationDocument &Document) {
  std::string Text = "host,from_s,power_w\n";
  for (std::size_t P = 0; P < Document.OnSimGrid.Power.size(); ++P)
    for (const PowerStep &Step : Document.OnSimGrid.Power[P])
      Text += Document.Subject.Steps.Processors[P].Name + "," + digits(Step.FromS) + "," +
              digits(Step.PowerW) + "\n";
  return Text;
}

} // namespace ergon
