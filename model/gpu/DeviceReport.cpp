//===- DeviceReport.cpp - traffic of a launch by cause --------------------===//

#include "model/gpu/DeviceReport.h"
#include "model/traffic/TrafficReport.h"

namespace ergon {

static Gap bytesOf(Gap Reads, const Gap &Writes) {
  Reads += Writes;
  return {Reads.Low * SectorBytes, Reads.High * SectorBytes};
}

Gap DeviceReport::l2Bytes() const { return bytesOf(Total.L2Reads, Total.L2Writes); }
Gap DeviceReport::dramBytes() const { return bytesOf(Total.DramReads, Total.DramWrites); }

std::expected<DeviceReport, Error> reportDeviceTraffic(const AccessProgram &Program,
                                                       const LaunchSize &Launch,
                                                       const DeviceCaches &Through,
                                                       std::int64_t MaxSectors) {
  auto Predicted = deviceTraffic(Program, Launch, Through, MaxSectors);
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
  const std::vector<const MemoryAccess *> Accesses = accessesIn(Program.Body);
  for (std::size_t I = 0; I != Accesses.size(); ++I) {
    const MemoryObject &Object = Program.Objects[Accesses[I]->Object];
    Result.Lines.push_back({*Accesses[I], Object.Name, Object.Where,
                            Predicted->Requests.Accesses[I], Predicted->Accesses[I]});
  }
  return Result;
}

static void put(const std::string &Class, const Gap &Bytes, CountValues &Result) {
  Result.Values[Class] = (rationalOf(Bytes.Low) + rationalOf(Bytes.High)) / Rational(2);
  Result.KnownAs[Class] = Known::Assumed;
  Result.Ranges.erase(Class);
  if (!Bytes.isKnown())
    Result.Ranges[Class] = {rationalOf(Bytes.Low), rationalOf(Bytes.High)};
}

void addTraffic(const DeviceReport &Report, CountValues &Result) {
  putRequested("bytes_shared", {Space::Shared}, Result);
  put("bytes_l2", Report.l2Bytes(), Result);
  if (Result.DramIsRequested)
    put("bytes_dram", Report.dramBytes(), Result);
  Result.DramIsRequested = false;
}

} // namespace ergon
