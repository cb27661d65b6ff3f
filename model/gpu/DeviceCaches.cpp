//===- DeviceCaches.cpp - the caches of a GPU -----------------------------===//

#include "model/gpu/DeviceCaches.h"

namespace ergon {

std::optional<DeviceCaches> deviceCaches(const Machine &Of) {
  if (!Of.Topology.Gpu || !Of.Topology.Gpu->GlobalLoadsInL1)
    return std::nullopt;
  DeviceCaches Result;
  Result.GlobalLoadsInL1 = *Of.Topology.Gpu->GlobalLoadsInL1;
  Result.Multiprocessors = std::int64_t(Of.Topology.Gpu->Multiprocessors.Value);
  Result.Limits = Of.Topology.Gpu->Limits;
  for (const Cache &Each : Of.Topology.Caches) {
    if (Each.Level == "l1")
      Result.L1Bytes = Each.Bytes;
    if (Each.Level == "l2") {
      Result.L2Bytes = Each.Bytes;
      Result.L2Ways = Each.Ways.value_or(Result.L2Ways);
    }
  }
  return Result.L2Bytes ? std::optional(Result) : std::nullopt;
}

} // namespace ergon
