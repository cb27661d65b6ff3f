//===- SimulationFormat.h - ergon-simulation/1 ------------------*- C++ -*-===//

#pragma once

#include "formats/cluster/ScenarioFormat.h"

#include <string>

namespace ergon {

/// What a simulation document says. Processors are in the scenario's order.
struct SimulationDocument {
  const Scenario &Subject;
  Simulated OnSimGrid;
  Outcome Analytic;

  /// Simulated against analytic, relative to the latter; 0 where both are 0.
  double timeDifference() const;
  /// As timeDifference(), of the energy.
  double energyDifference() const;
};

/// The JSON document, ending with a line break.
std::string writeSimulation(const SimulationDocument &Document);
/// Power over time: a heading, then a line for each step of each processor.
std::string writePowerCsv(const SimulationDocument &Document);

} // namespace ergon
