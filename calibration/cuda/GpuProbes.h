//===- GpuProbes.h - what is measured to know a GPU -------------*- C++ -*-===//
//
// A probe is a kernel with operands and data of a size that lives in one level of memory, or a
// copy. The table of probes follows from the kernels that this GPU has and from its properties.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "calibration/cuda/Driver.h"
#include "calibration/cuda/KernelTable.h"

#include <functional>
#include <string>
#include <vector>

namespace ergon::cuda {

enum class CopyKind { None, ToDevice, ToHost, OnDevice };

struct GpuProbe {
  std::string Name;                 ///< such as `load-i32-dram`, `fma-f32-zero`
  const KernelCode *Code = nullptr; ///< null for a copy
  CopyKind Copies = CopyKind::None;
  std::string Level{}; ///< `shared`, `l1`, `l2` or `dram` where data are; empty: in registers
  bool Zeros = false;  ///< all operands are 0
  bool IsHalf = false; ///< on half of the multiprocessors, with a block each
  unsigned Blocks = 1, Threads = 1; ///< of a block
  std::uint64_t Words = 0;          ///< what the kernel is told; of a copy, its bytes
  std::uint64_t InBytes = 0, OutBytes = 0;
  std::string Measures{}; ///< the class that it is for; empty: a mixture

  /// What \p Launches, each of so many iterations, execute and move.
  Counts counts(double Iterations, double Launches) const;
  /// False for a copy and for an empty launch.
  bool hasIterations() const {
    return Code && Code->Runs != Pattern::Nothing && Code->Runs != Pattern::Blocks;
  }
  /// False where little of the GPU works: such a probe is for its time alone.
  bool hasEnergy() const { return hasIterations() && Code->Runs != Pattern::Walk; }
};

struct GpuProbeTable {
  std::vector<GpuProbe> Probes;
  std::vector<std::string> LeftOut; ///< and why: one phrase each
};

/// How many blocks of so many threads of a kernel a multiprocessor holds; 0 where there is no
/// such kernel for this GPU.
using Residents = std::function<unsigned(const KernelCode &Code, unsigned Threads)>;

/// All probes, in a fixed order.
GpuProbeTable probesFor(const Properties &P, const Residents &Resident);

/// Values for \p Bytes of operands of this kind: random ones that kernels ask for, or zeros.
std::vector<unsigned char> operandsFor(const GpuProbe &Probe, std::size_t Bytes);

} // namespace ergon::cuda
