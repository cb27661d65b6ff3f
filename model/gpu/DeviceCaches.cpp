//===- DeviceCaches.cpp - the caches of a GPU -----------------------------===//

#include "model/gpu/DeviceCaches.h"

namespace ergon {

std::optional<DeviceCaches> deviceCaches(const Machine &M) {
  if (!M.Topology.Gpu || !M.Topology.Gpu->GlobalLoadsInL1)
    return std::nullopt;
  DeviceCaches Result;
  Result.GlobalLoadsInL1 = *M.Topology.Gpu->GlobalLoadsInL1;
  Result.Multiprocessors = std::int64_t(M.Topology.Gpu->Multiprocessors.Value);
  Result.Limits = M.Topology.Gpu->Limits;
  for (const Cache &C : M.Topology.Caches) {
    if (C.Level == "l1")
      Result.L1Bytes = C.Bytes;
    if (C.Level == "l2") {
      Result.L2Bytes = C.Bytes;
      Result.L2Ways = C.Ways.value_or(Result.L2Ways);
    }
  }
  return Result.L2Bytes ? std::optional(Result) : std::nullopt;
}

} // namespace ergon
