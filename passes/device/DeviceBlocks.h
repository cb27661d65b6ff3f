//===- DeviceBlocks.h - machine instructions of device blocks ---*- C++ -*-===//
//
// The blocks of a function's summary are those of its scalar code; its machine code comes later,
// with loops unrolled and branches gone. Both have the same positions in the source: from these
// follows how many machine instructions each block is. docs/decisions/0041-machine-code-of-gpus.md
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Function.h"
#include "passes/device/DeviceAssembly.h"

#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace ergon {

/// The blocks of one function when it was counted.
class DeviceBlocks {
public:
  /// A new loop inside of the loop \p Parent; the function's body is loop 0 and needs none.
  unsigned addLoop(unsigned Parent);
  /// A new block of loop \p Loop; its number, from 1.
  unsigned addBlock(unsigned Loop);
  /// Notes that \p I is in block \p Block.
  void add(const Instruction &I, unsigned Block);

  /// Adds the machine instructions of \p Code to the blocks of \p Summary that have these numbers,
  /// as `issue_<pipe>` and `stall_<reason>`; nothing where no instruction has a position.
  void apply(const MachineFunction &Code, const DevicePositions &Positions,
             Function &Summary) const;

private:
  friend class DeviceAttribution;
  /// A block with instructions of a position, and the bytes that these access.
  struct Part {
    unsigned Block;
    double Bytes = 0;
  };
  struct LoopNote {
    unsigned Parent = 0;
    unsigned First = 0; ///< its first block, which runs in each iteration
    double Flops = 0;   ///< of all its own blocks
    double Instructions = 0;
    double Functions = 0; ///< instructions of that unit that its divisions and roots become
    bool HasSteps = false; ///< operations that are several machine instructions
  };
  std::vector<LoopNote> Loops{1};
  std::vector<unsigned> LoopOf{0}; ///< by block
  llvm::DenseMap<DevicePositions::Key, SmallVector<Part, 1>> Parts;
};

} // namespace ergon
