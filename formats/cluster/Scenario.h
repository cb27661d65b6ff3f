//===- Scenario.h - what ranks do on which nodes ----------------*- C++ -*-===//
#pragma once

#include "formats/json/Error.h"
#include "model/cluster/Plan.h"
#include "model/gpu/BlockRounds.h"
#include "model/machine/Machine.h"

#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// A function of a record folder, as `ergon predict` takes it.
struct RecordQuery {
  std::string Directory, Entry, Snapshot, Unit, Target;
  std::vector<std::string> Libraries, Sets;
};

/// What a prediction says.
struct PredictedRun {
  double TimeS = 0, EnergyJ = 0;
  std::map<std::string, double> Counts; ///< by cost class
};

/// Resolves the names of machines and records in a scenario.
struct ScenarioSources {
  std::function<std::expected<Machine, Error>(const std::string &NameOrFile)> LoadMachine;
  /// Time and energy on the machine; without one counts alone.
  std::function<std::expected<PredictedRun, Error>(const RecordQuery &, const Machine *,
                                                   const Setting &)>
      Predict;
};

/// A kernel whose rounds of blocks are part of a scenario.
struct CalibratedKernel {
  std::string Name, Text; ///< of the calibration; of the processor's group
  bool ByRounds = true;   ///< else block by block
  BlockCalibration Calibration;
  RoundCost Round;
  Waves Blocks;
  /// In words: what determines how many blocks run at the same time.
  std::string AtOnceFrom;
};

struct Scenario {
  std::string Name;
  Plan Steps;
  std::vector<CalibratedKernel> Calibrated;
  std::vector<std::string> Notes; ///< what looks wrong, in words
};

} // namespace ergon
