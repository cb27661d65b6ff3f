//===- MachineInstruction.h - machine code of NVIDIA's GPUs -----*- C++ -*-===//
//
// What is known of one instruction of a GPU: where it is issued and where control goes next. The
// codes are those of compute capability 7.0 and later, 16 bytes each. NVIDIA does not publish them:
// they are read off what ptxas writes for known PTX, and held by counters of kernels that were run.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/CostClass.h"

#include <cstdint>
#include <optional>

namespace ergon {

struct MachineInstruction {
  IssuePipe Pipe = IssuePipe::Control;
  unsigned Position = 0; ///< a number of DevicePositions; 0: none
  /// The instruction to which it may jump, by its number in the function.
  std::optional<std::size_t> Target{};
  bool Falls = true;        ///< whether the next instruction may follow
  bool IsWait = false;      ///< no operation
  bool IsCall = false;      ///< of a subroutine, always
  unsigned MemoryBytes = 0; ///< of a load, store or atomic, for each thread
  unsigned Flops = 0;       ///< of an addition, product or fused operation, scalar

  /// Cycles until the next instruction of the warp may be issued, as the assembler chose.
  unsigned StallCycles = 1;
  /// A result of unknown delay is announced by a flag of the warp, one of six.
  enum class Delay { None, Short, Long };
  Delay Takes = Delay::None;
  std::optional<unsigned> Sets{};  ///< the flag of its result
  std::optional<unsigned> Frees{}; ///< the flag that says that its operands were read
  unsigned Awaits = 0;             ///< flags that it waits for, a bit each
};

/// An instruction's 16 bytes, and where it is: at \p Number of \p Count in its function.
struct EncodedInstruction {
  std::uint64_t Low, High;
  std::size_t Number, Count;
};
/// Decodes code for compute capability \p Major.
MachineInstruction decode(const EncodedInstruction &Code, int Major);

} // namespace ergon
