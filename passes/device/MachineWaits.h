//===- MachineWaits.h - what instructions wait for --------------*- C++ -*-===//
//
// The time that a warp waits for results of unknown delay, from the flags that the assembler sets.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/device/Cubin.h"

#include <vector>

namespace ergon {

/// What an instruction waits for: parts of the delays of results, 1 where nothing else passed
/// since. `Long` is of memory, `Short` of shared memory and the unit for functions.
struct MachineWait {
  double Long = 0, Short = 0;
};

/// By instruction of \p Code, one warp alone and in order. Loads that are issued one behind the
/// other are waited for once. At the start of a loop the flags are those of its end, too.
std::vector<MachineWait> waitsOf(const MachineFunction &Code);

} // namespace ergon
