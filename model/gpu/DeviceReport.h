//===- DeviceReport.h - traffic of a launch by cause ------------*- C++ -*-===//
//
// The predicted traffic of a kernel launch between the levels of a GPU's memory, with the names of
// its causes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/gpu/DeviceTraffic.h"
#include "model/program/Prediction.h"

#include <string>
#include <vector>

namespace ergon {

/// One access of the code.
struct DeviceLine {
  MemoryAccess Access;
  std::string Object;
  Space Where;
  WarpRequests Asked;
  DeviceSectors Moved;
};

/// Traffic of one launch.
struct DeviceReport {
  DeviceCaches Through;
  std::vector<DeviceLine> Lines; ///< in the order of the text
  DeviceSectors Total;
  std::int64_t BlocksAtOnce = 0;
  bool IsComplete = true; ///< whether every request was counted, without sampling
  std::vector<std::string> Assumptions;

  /// Bytes between L2 and the multiprocessors, and between DRAM and L2.
  Gap l2Bytes() const;
  Gap dramBytes() const;
  /// The most likely numbers in these. Where an address is not known, as where data choose it, the
  /// sectors of a warp are between one and one for each thread, and most are found in L2; what is
  /// written stays there, where it has room.
  double likelyL2Bytes() const;
  double likelyDramBytes() const;
  /// 128 bytes for each pass through the banks of shared memory.
  double likelySharedBytes() const;
  /// Lines of global and local memory that warps ask for, each of which is looked up in L1.
  double likelyLines() const;
  /// Atomic operations of threads that all threads make on one word, one after the other.
  double atomicsOfOneWord() const;
  /// Requests of warps for each access of a thread: 1/32 where all lanes take part; 0 without any.
  double warpsOfThreads() const;
};

/// \p MaxSectors as in deviceTraffic(). Error: an access with an unknown number of runs, or the
/// predictor's own error.
std::expected<DeviceReport, Error> reportDeviceTraffic(const AccessProgram &Program,
                                                       const LaunchSize &Launch,
                                                       const DeviceCaches &Through,
                                                       std::int64_t MaxSectors = 3'000'000);

/// Puts `bytes_l2`, `bytes_dram`, `l1_lines`, `atomics_one_word` and `bytes_shared` by passes into
/// \p Result, but keeps a given `bytes_dram`.
void addTraffic(const DeviceReport &Report, CountValues &Result);

} // namespace ergon
