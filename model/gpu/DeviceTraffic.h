//===- DeviceTraffic.h - a launch's bytes between levels --------*- C++ -*-===//
//
// What the requests of a kernel's warps move between the levels of a GPU's memory.
// Sectors at L2 follow from the requests; what L2 asks of DRAM, and L1 of L2, depends on
// which blocks run at once: the blocks of some rounds run through caches in the order
// in which a device has them, iteration by iteration of their outermost loop.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_GPU_DEVICETRAFFIC_H
#define ERGON_MODEL_GPU_DEVICETRAFFIC_H

#include "model/gpu/DeviceCaches.h"
#include "model/gpu/WarpAccesses.h"

namespace ergon {

/// Sectors of 32 bytes over a launch, of one access of the code or of several.
struct DeviceSectors {
  Gap L2Reads;    ///< that loads and atomics ask of L2
  Gap L2Writes;   ///< that stores and atomics write to L2
  Gap DramReads;  ///< that L2 fetches
  Gap DramWrites; ///< that L2 writes back, at the latest after the launch

  /// Adds sectors of 32 bytes level by level.
  DeviceSectors &operator+=(const DeviceSectors &Other);
};

struct DeviceTraffic {
  /// What the warps ask for; its assumptions are those of the traffic too.
  LaunchRequests Requests;
  /// By access, as Requests has them.
  std::vector<DeviceSectors> Accesses;
  std::int64_t BlocksAtOnce =
      0; ///< in all multiprocessors; an upper bound where registers are not known

  /// The sectors of all accesses.
  DeviceSectors total() const;
};

/// In time that is bounded whatever the launch: at most \p MaxSectors go through the caches, and
/// stand for the rest. Error: a block that no multiprocessor holds.
std::expected<DeviceTraffic, Error> deviceTraffic(const AccessProgram &Program,
                                                  const LaunchSize &Launch,
                                                  const DeviceCaches &Through,
                                                  std::int64_t MaxSectors = 3'000'000);

} // namespace ergon

#endif
