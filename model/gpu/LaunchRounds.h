//===- LaunchRounds.h - rounds of a launch ----------------------*- C++ -*-===//

#pragma once

#include "model/gpu/BlockRounds.h"
#include "model/machine/Machine.h"
#include "model/symbolic/Rational.h"

#include <map>
#include <optional>
#include <string>

namespace ergon {

/// A kernel's blocks on a device. Without an assembler, neither registers nor shared memory of a
/// kernel are known: the resident blocks are an upper bound, the rounds a lower bound.
struct LaunchRounds {
  std::int64_t ThreadsPerBlock = 0;
  std::int64_t Multiprocessors = 0;
  BlockNeeds Needs;   ///< what is known of them
  Residency Resident; ///< without blocks: the kernel cannot be launched
  Waves Blocks;       ///< PerRound is 0 where none is resident
};

/// For a launch with \p Dimensions, `grid.x` to `block.z`; nothing where one is absent or no number
/// of blocks or threads. \p Needs are registers and shared memory, where they are known.
std::optional<LaunchRounds> launchRounds(const Device &D,
                                         const std::map<std::string, Rational> &Dimensions,
                                         BlockNeeds Needs = {});

} // namespace ergon
