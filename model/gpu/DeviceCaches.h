//===- DeviceCaches.h - the caches of a GPU ---------------------*- C++ -*-===//
#pragma once

#include "model/machine/Machine.h"
#include "model/machine/Occupancy.h"

#include <cstdint>
#include <optional>

namespace ergon {

/// The caches of a GPU: LRU, in lines whose sectors are fetched individually.
struct DeviceCaches {
  std::uint64_t L1Bytes = 0; ///< of each multiprocessor; 0: unknown
  std::uint64_t L2Bytes = 0; ///< of the device
  unsigned L2Ways = 16;
  /// L1 caches global loads; otherwise only local memory.
  bool GlobalLoadsInL1 = false;
  std::int64_t Multiprocessors = 1;
  MultiprocessorLimits Limits{};
};
/// Those of a profile; nothing where it states too little, as there is no useful default.
std::optional<DeviceCaches> deviceCaches(const Machine &M);

} // namespace ergon
