//===- DeviceReport.cpp - where a launch's traffic comes from -------------===//

#include "model/gpu/DeviceReport.h"
#include "model/traffic/TrafficReport.h"

namespace ergon {

static Between bytesOf(Between Reads, const Between &Writes) {
  Reads += Writes;
  return {Reads.Low * SectorBytes, Reads.High * SectorBytes};
}

Between DeviceReport::l2Bytes() const { return bytesOf(Total.L2Reads, Total.L2Writes); }
Between DeviceReport::dramBytes() const { return bytesOf(Total.DramReads, Total.DramWrites); }

std::expected<DeviceReport, Error> reportDeviceTraffic(const AccessProgram &Of,
                                                       const LaunchSize &Launch,
                                                       const DeviceCaches &Through) {
  auto Predicted = deviceTraffic(Of, Launch, Through);
  if (!Predicted)
    return std::unexpected(Predicted.error());
  if (!Predicted->Requests.Open.empty())
    return std::unexpected(Predicted->Requests.Open.begin()->second);
  DeviceReport Result{Through,
                      {},
                      Predicted->total(),
                      Predicted->BlocksAtOnce,
                      Predicted->Requests.IsComplete,
                      std::move(Predicted->Requests.Assumptions)};
  const std::vector<const MemoryAccess *> Accesses = accessesIn(Of.Body);
  for (std::size_t I = 0; I != Accesses.size(); ++I) {
    const MemoryObject &Object = Of.Objects[Accesses[I]->Object];
    Result.Lines.push_back({*Accesses[I], Object.Name, Object.Where,
                            Predicted->Requests.Accesses[I], Predicted->Accesses[I]});
  }
  return Result;
}

static void put(const std::string &Class, const Between &Bytes, CountValues &Into) {
  Into.Values[Class] = (rationalOf(Bytes.Low) + rationalOf(Bytes.High)) / Rational(2);
  Into.KnownAs[Class] = Known::Assumed;
  Into.Between.erase(Class);
  if (!Bytes.isKnown())
    Into.Between[Class] = {rationalOf(Bytes.Low), rationalOf(Bytes.High)};
}

void addTraffic(const DeviceReport &Of, CountValues &Into) {
  putRequested("bytes_shared", {Space::Shared}, Into);
  put("bytes_l2", Of.l2Bytes(), Into);
  if (Into.DramIsRequested)
    put("bytes_dram", Of.dramBytes(), Into);
  Into.DramIsRequested = false;
}

} // namespace ergon
