//===- MeasuredChecks.h - measured runs that may be no runs -----*- C++ -*-===//
#pragma once

#include "model/energy/Cost.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ergon {

/// What is wrong with a power of \p EnergyJ in \p TimeS, as the end of a sentence; nothing where a
/// machine may draw it.
std::optional<std::string> impossiblePower(double EnergyJ, double TimeS);

/// What makes \p Runs doubtful, each a line that begins with its name: `measured-far` from the
/// model, `runs-contradict` each other (docs/tuning.md).
std::vector<std::string> doubtsOf(std::span<const ComparedRun> Runs);

} // namespace ergon
