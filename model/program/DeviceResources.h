//===- DeviceResources.h - what device code needs ---------------*- C++ -*-===//
#pragma once

namespace ergon {

/// What a thread or a block of device code needs, as the assembler says.
struct DeviceResources {
  unsigned Registers = 0;   ///< of a thread; 0: not known
  unsigned SharedBytes = 0; ///< static, of a block
  unsigned StackBytes = 0;  ///< local memory of a thread, with spilled registers
  unsigned SpillStoreBytes = 0, SpillLoadBytes = 0; ///< in the code of a thread, each counted once
  unsigned Barriers = 0;                            ///< of a block
  bool operator==(const DeviceResources &) const = default;
};

} // namespace ergon
