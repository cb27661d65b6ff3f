//===- LaunchFootprint.h - how much memory a launch touches -----*- C++ -*-===//

#ifndef ERGON_MODEL_GPU_LAUNCHFOOTPRINT_H
#define ERGON_MODEL_GPU_LAUNCHFOOTPRINT_H

#include "model/gpu/WarpAccesses.h"

#include <optional>
#include <vector>

namespace ergon {

/// By object, the sectors from the first byte to the last one that the launch may touch. Nothing
/// where an address is no formula, or where threads have memory of their own.
std::optional<std::vector<double>> sectorsTouched(const AccessProgram &Program,
                                                  const LaunchSize &Launch);

} // namespace ergon

#endif
