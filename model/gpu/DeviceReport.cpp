//===- DeviceReport.cpp - traffic of a launch by cause --------------------===//

#include "model/gpu/DeviceReport.h"
#include "model/traffic/TrafficReport.h"

#include <algorithm>
#include <cmath>

namespace ergon {

static Gap bytesOf(Gap Reads, const Gap &Writes) {
  Reads += Writes;
  return {Reads.Low * SectorBytes, Reads.High * SectorBytes};
}

Gap DeviceReport::l2Bytes() const { return bytesOf(Total.L2Reads, Total.L2Writes); }
Gap DeviceReport::dramBytes() const { return bytesOf(Total.DramReads, Total.DramWrites); }

/// Of the sectors that are asked of L2 at addresses that are not known: a median of kernels with
/// such accesses (bench/results/2026-11-27-gpu-programs.md).
static constexpr double MissesOfUnknown = 0.1;

static bool hasAddress(const DeviceLine &Line) { return !Line.Asked.ByCost.empty(); }

/// How many times as many sectors there are where lanes branch each by itself.
static double apart(const DeviceLine &Line) {
  const double Together = (Line.Asked.Sectors.Low + Line.Asked.Sectors.High) / 2;
  return hasAddress(Line) && Together > 0 ? Line.Asked.Alone.Sectors / Together : 1;
}

static double likely(const DeviceLine &Line, const Gap &Sectors) {
  return hasAddress(Line) ? apart(Line) * (Sectors.Low + Sectors.High) / 2
                          : std::sqrt(Sectors.Low * Sectors.High);
}

double DeviceReport::likelySharedBytes() const {
  static constexpr double BytesOfPass = 128;
  double Passes = 0;
  for (const DeviceLine &Line : Lines)
    if (Line.Where == Space::Shared)
      Passes += Line.Asked.Alone.Passes;
  return Passes * BytesOfPass;
}

double DeviceReport::likelyLines() const {
  double Result = 0;
  for (const DeviceLine &Line : Lines)
    if (servedBy(Line.Where) == ServedBy::Sectors)
      Result += likely(Line, Line.Asked.Lines);
  return Result;
}

double DeviceReport::atomicsOfOneWord() const {
  double Result = 0;
  for (const DeviceLine &Line : Lines) {
    const bool IsOneSector =
        hasAddress(Line) && Line.Asked.ByCost.size() == 1 &&
        Line.Asked.ByCost.begin()->first == 1 && Line.Moved.DramReads.High <= 1 &&
        Line.Asked.Alone.Requests == Line.Asked.Requests; // data decide nothing
    if (Line.Access.What == Access::Kind::Atomic && IsOneSector &&
        servedBy(Line.Where) == ServedBy::Sectors)
      Result += Line.Asked.Threads;
  }
  return Result;
}

double DeviceReport::warpsOfThreads() const {
  double Requests = 0, Threads = 0;
  for (const DeviceLine &Line : Lines) {
    Requests += Line.Asked.Alone.Requests;
    Threads += Line.Asked.Threads;
  }
  return Threads > 0 ? Requests / Threads : 0;
}

double DeviceReport::likelyL2Bytes() const {
  double Sectors = 0;
  for (const DeviceLine &Line : Lines)
    Sectors += likely(Line, Line.Moved.L2Reads) + likely(Line, Line.Moved.L2Writes);
  return Sectors * SectorBytes;
}

double DeviceReport::likelyDramBytes() const {
  double Reads = 0, Writes = 0; // sectors
  for (const DeviceLine &Line : Lines) {
    const DeviceSectors &Moved = Line.Moved;
    if (hasAddress(Line)) {
      Reads += apart(Line) * (Moved.DramReads.Low + Moved.DramReads.High) / 2;
      Writes += apart(Line) * Moved.DramWrites.High;
    } else {
      Reads += MissesOfUnknown * likely(Line, Moved.L2Reads);
      Writes += MissesOfUnknown * likely(Line, Moved.L2Writes);
    }
  }
  // Of less than L2 holds some is written back while the kernel runs, as its sets fill.
  const double Filled = Writes * SectorBytes / double(Through.L2Bytes);
  return (Reads + Writes * std::sqrt(std::min(1.0, Filled))) * SectorBytes;
}

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

static void put(const std::string &Class, const Gap &Bytes, double Likely, CountValues &Result) {
  Likely = std::round(Likely);
  Result.Values[Class] = rationalOf(Likely);
  Result.KnownAs[Class] = Known::Assumed;
  Result.Ranges.erase(Class);
  if (!Bytes.isKnown())
    Result.Ranges[Class] = {rationalOf(std::min(Bytes.Low, Likely)),
                            rationalOf(std::max(Bytes.High, Likely))};
}

void addTraffic(const DeviceReport &Report, CountValues &Result) {
  putRequested("bytes_shared", {Space::Shared}, Result);
  if (const double Bytes = Report.likelySharedBytes(); Bytes > 0) {
    Result.Values["bytes_shared"] = rationalOf(Bytes);
    Result.KnownAs["bytes_shared"] = Known::Assumed;
  }
  for (const auto &[Class, Number] : {std::pair{"l1_lines", Report.likelyLines()},
                                      {"atomics_one_word", Report.atomicsOfOneWord()}})
    if (Number > 0) {
      Result.Values[Class] = rationalOf(Number);
      Result.KnownAs[Class] = Known::Assumed;
    }
  put("bytes_l2", Report.l2Bytes(), Report.likelyL2Bytes(), Result);
  if (Result.DramIsRequested)
    put("bytes_dram", Report.dramBytes(), Report.likelyDramBytes(), Result);
  Result.DramIsRequested = false;
}

} // namespace ergon
