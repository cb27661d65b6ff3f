//===- LaunchRounds.h - in how many rounds a launch runs --------*- C++ -*-===//

#ifndef ERGON_MODEL_GPU_LAUNCHROUNDS_H
#define ERGON_MODEL_GPU_LAUNCHROUNDS_H

#include "model/gpu/BlockRounds.h"
#include "model/machine/Machine.h"
#include "model/symbolic/Rational.h"

#include <map>
#include <optional>
#include <string>

namespace ergon {

/// A kernel's blocks on a device. Neither registers nor shared memory are known of a
/// kernel that no ptxas has seen: as many blocks as here are at once at most, and so
/// there are at least as many rounds.
struct LaunchRounds {
  std::int64_t ThreadsPerBlock = 0;
  std::int64_t Multiprocessors = 0;
  Residency Resident; ///< without blocks: no such kernel can be launched
  Waves Blocks;       ///< PerRound is 0 where none is resident
};

/// Of a launch with \p Dimensions, `grid.x` to `block.z`; nothing where one is absent or
/// no number of blocks or threads.
std::optional<LaunchRounds> launchRounds(const Device &D,
                                         const std::map<std::string, Rational> &Dimensions);

} // namespace ergon

#endif
