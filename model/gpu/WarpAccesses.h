//===- WarpAccesses.h - warp requests of accesses ---------------*- C++ -*-===//
//
// The threads of a warp access memory together: a request. Global and local memory serve it in
// sectors of lines, shared memory in passes through its banks, constant memory address by address.
// Counts all requests of a launch from formulas, with the lanes of each warp individually and
// repetitions once.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/gpu/WarpProgram.h"

namespace ergon {

// For every device since compute capability 5.0: sectors and lines by NVIDIA, "CUDA C++ Best
// Practices Guide", section "Coalesced Access to Global Memory" ("the number of 32-byte
// transactions necessary to service all of the threads of the warp"), banks by NVIDIA, "CUDA C++
// Programming Guide", section "Shared Memory" of the compute capabilities.
inline constexpr std::int64_t SectorBytes = 32, DeviceLineBytes = 128, SharedBanks = 32,
                              BankBytes = 4;

/// Lower and upper bound; equal where the value is known.
struct Gap {
  double Low = 0, High = 0;
  /// Whether both bounds are the same number.
  bool isKnown() const { return Low == High; }
  /// Adds bounds.
  Gap &operator+=(const Gap &Other) {
    Low += Other.Low;
    High += Other.High;
    return *this;
  }
};

/// How a memory space serves a request.
enum class ServedBy {
  Sectors,   ///< global, local and generic memory: aligned 32-byte sectors
  Banks,     ///< shared memory: one word per bank and pass
  Addresses, ///< constant memory and parameters: one address per pass
};
/// By the hardware that NVIDIA's "CUDA C++ Programming Guide" describes for each memory space.
ServedBy servedBy(Space Where);

/// Requests of one access of the code, or of several, over a launch.
struct WarpRequests {
  double Requests = 0; ///< of warps with at least one active lane
  double Threads = 0;  ///< accesses of threads: active lanes
  Gap Sectors;         ///< of all requests, each counted once per request
  Gap Lines;           ///< the same for lines
  /// Through the banks of shared memory, or for the addresses of constant memory.
  Gap Passes;
  /// The passes that would be needed without conflicts.
  double Fewest = 0;
  /// The same where each lane decides by itself whether it takes part, by its share of runs: more
  /// requests with fewer lanes. Equal to the means above without such branches.
  struct Mixed {
    double Requests = 0, Sectors = 0, Passes = 0;
  } Alone{};
  /// Number of requests by their sectors or passes, for known addresses.
  std::map<unsigned, double> ByCost;

  /// Additional passes due to bank conflicts, or different addresses.
  Gap conflicts() const { return {Passes.Low - Fewest, Passes.High - Fewest}; }
  WarpRequests &operator+=(const WarpRequests &Other);
};

/// Adds \p Times requests to \p Result, in which the lanes \p Active make the access \p Access in
/// \p Where at their \p Addresses. \p Share as in WarpVisit.
void addRequest(WarpRequests &Result, const MemoryAccess &Access, Space Where, LaneMask Active,
                const std::array<std::int64_t, LanesOfWarp> &Addresses, double Times,
                double Share = 1);

/// All requests of a launch.
struct LaunchRequests {
  /// By access, in text order.
  std::vector<WarpRequests> Accesses;
  /// Accesses with an unknown number of runs, and why: they have no requests here.
  std::map<unsigned, Error> Open;
  /// Whether every request was counted; otherwise blocks, or parts of loops, were sampled.
  bool IsComplete = true;
  /// What the numbers assume.
  std::vector<std::string> Assumptions;
};

/// In time independent of the launch size where addresses and conditions are (nearly) affine in
/// block indices and induction variables; otherwise about \p Effort operations of formulas are
/// evaluated. Objects start at \p P, by number, or each on a line of its own. A launch without
/// blocks or threads has no requests.
LaunchRequests requestsOf(const AccessProgram &Program, const LaunchSize &Launch,
                          const Placement &P = {}, std::int64_t Effort = 4'000'000);

/// `4 sectors`, `4 to 5 sectors`, `2 passes, 1 for conflicts`: the cost of a request.
std::string describe(const WarpRequests &Requests, Space Where);

} // namespace ergon
