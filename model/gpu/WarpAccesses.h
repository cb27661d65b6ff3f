//===- WarpAccesses.h - what a warp's accesses take -------------*- C++ -*-===//
//
// The threads of a warp access memory together: a request. Global and local memory
// serve it in sectors of lines, shared memory in passes through its banks, constant
// memory address by address. Counted from formulas for all requests of a launch, with
// the lanes of each warp one by one and what repeats counted once.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_GPU_WARPACCESSES_H
#define ERGON_MODEL_GPU_WARPACCESSES_H

#include "model/gpu/WarpProgram.h"

namespace ergon {

// Of every device since compute capability 5.0: sectors and lines by NVIDIA, "CUDA C++ Best
// Practices Guide", section "Coalesced Access to Global Memory" ("the number of 32-byte
// transactions necessary to service all of the threads of the warp"), banks by NVIDIA, "CUDA C++
// Programming Guide", section "Shared Memory" of the compute capabilities.
inline constexpr std::int64_t SectorBytes = 32, DeviceLineBytes = 128, SharedBanks = 32,
                              BankBytes = 4;

/// Between two numbers; they are equal where it is known.
struct Gap {
  double Low = 0, High = 0;
  /// Whether both bounds are the same number.
  bool isKnown() const { return Low == High; }
  /// Adds bounds: of the sum.
  Gap &operator+=(const Gap &Other) {
    Low += Other.Low;
    High += Other.High;
    return *this;
  }
};

/// How a memory space serves a request.
enum class ServedBy {
  Sectors,   ///< global, local and generic memory: 32 bytes at an address that divides by 32
  Banks,     ///< shared memory: a word of each bank in a pass
  Addresses, ///< constant memory and parameters: one address in a pass
};
/// By the hardware that NVIDIA's "CUDA C++ Programming Guide" describes for each memory space.
ServedBy servedBy(Space Where);

/// Requests of one access of the code, or of several, over a launch.
struct WarpRequests {
  double Requests = 0; ///< of warps, with an active lane at least
  double Threads = 0;  ///< accesses of threads: active lanes
  Gap Sectors;         ///< that requests touch, each counted in each request that touches it
  Gap Lines;           ///< the same for lines
  /// Through the banks of shared memory, or for the addresses of constant memory.
  Gap Passes;
  /// Of Passes, those that there would be if no two lanes were in each other's way.
  double Fewest = 0;
  /// How many requests take so many sectors or passes, of those with known addresses.
  std::map<unsigned, double> ByCost;

  /// Passes because of bank conflicts, or of addresses that differ.
  Gap conflicts() const { return {Passes.Low - Fewest, Passes.High - Fewest}; }
  WarpRequests &operator+=(const WarpRequests &Other);
};

/// Adds \p Times requests to \p Result, in which the lanes \p Active make the access \p Access in
/// \p Where at their \p Addresses.
void addRequest(WarpRequests &Result, const MemoryAccess &Access, Space Where, LaneMask Active,
                const std::array<std::int64_t, LanesOfWarp> &Addresses, double Times);

/// All requests of a launch.
struct LaunchRequests {
  /// By access, in the order in which the program's text has them.
  std::vector<WarpRequests> Accesses;
  /// Those of which it is not known how often they run, and why: they have no requests here.
  std::map<unsigned, Error> Open;
  /// Every request was counted; else some blocks, or parts of loops, stand for others.
  bool IsComplete = true;
  /// What the numbers rest on, in words.
  std::vector<std::string> Assumptions;
};

/// In time that does not grow with the launch where addresses and conditions are affine in
/// block and iteration numbers, or nearly; else formulas of about \p Effort operations are
/// evaluated. Objects start at \p P, by number, or each on a line of its own. A launch without
/// blocks or threads has no requests.
LaunchRequests requestsOf(const AccessProgram &Program, const LaunchSize &Launch,
                          const Placement &P = {}, std::int64_t Effort = 4'000'000);

/// `4 sectors`, `4 to 5 sectors`, `2 passes, 1 for conflicts`: what a request takes.
std::string describe(const WarpRequests &Requests, Space Where);

} // namespace ergon

#endif
