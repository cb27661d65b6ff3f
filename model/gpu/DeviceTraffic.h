//===- DeviceTraffic.h - traffic of a launch between levels -----*- C++ -*-===//
//
// The traffic of a kernel's warp requests between the levels of a GPU's memory. Sectors at L2
// follow from the requests; L2 misses and L1 misses depend on the concurrent blocks: the blocks of
// some rounds are simulated through caches in device order, iteration by iteration of their
// outermost loop.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/gpu/DeviceCaches.h"
#include "model/gpu/WarpAccesses.h"

namespace ergon {

/// Sectors of 32 bytes over a launch, of one access of the code or of several.
struct DeviceSectors {
  Gap L2Reads;    ///< requested from L2 by loads and atomics
  Gap L2Writes;   ///< written to L2 by stores and atomics
  Gap DramReads;  ///< fetched by L2
  Gap DramWrites; ///< written back by L2, at the latest after the launch

  /// Adds sectors of 32 bytes level by level.
  DeviceSectors &operator+=(const DeviceSectors &Other);
};

struct DeviceTraffic {
  /// The warps' requests; their assumptions apply to the traffic too.
  LaunchRequests Requests;
  /// By access, as Requests has them.
  std::vector<DeviceSectors> Accesses;
  std::int64_t BlocksAtOnce =
      0; ///< resident on all multiprocessors; an upper bound where registers are unknown

  /// The sectors of all accesses.
  DeviceSectors total() const;
};

/// In bounded time: at most \p MaxSectors are simulated and extrapolated. Error: a block that no
/// multiprocessor can hold.
std::expected<DeviceTraffic, Error> deviceTraffic(const AccessProgram &Program,
                                                  const LaunchSize &Launch,
                                                  const DeviceCaches &Through,
                                                  std::int64_t MaxSectors = 3'000'000);

} // namespace ergon
