//===- LaunchFootprint.h - the footprint of a launch ------------*- C++ -*-===//

#pragma once

#include "model/gpu/WarpAccesses.h"

#include <optional>
#include <vector>

namespace ergon {

/// By object, the most sectors that the launch may touch: those from the first to the last byte, or
/// one for each address where that is less. Nothing where an address is no formula, or memory is
/// private to threads.
std::optional<std::vector<double>> sectorsTouched(const AccessProgram &Program,
                                                  const LaunchSize &Launch);

} // namespace ergon
