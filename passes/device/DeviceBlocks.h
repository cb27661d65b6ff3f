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
  /// Notes that \p I is in block \p Block; 0: in none, as it never runs.
  void add(const Instruction &I, unsigned Block);
  /// Notes the code of \p F that is in no block so far.
  void addUnexecuted(const llvm::Function &F);

private:
  friend class DeviceAttribution;
  /// A block with instructions of a position.
  struct Part {
    unsigned Block = 0;
    double Bytes = 0; ///< that they access
    double Flops = 0;
    bool HasSteps = false; ///< operations that are several machine instructions
  };
  struct LoopNote {
    unsigned Parent = 0;
    unsigned First = 0; ///< its first block, which runs in each iteration
    double Instructions = 0;
    double Functions = 0; ///< instructions of that unit that its operations become
  };
  std::vector<LoopNote> Loops{1};
  std::vector<unsigned> LoopOf{0}; ///< by block
  llvm::DenseMap<DevicePositions::Key, SmallVector<Part, 1>> Parts;
  /// What \p I does, apart from its operands.
  static unsigned operationOf(const Instruction &I);
  /// The blocks with an operation at a position.
  using Operation = std::pair<DevicePositions::Key, unsigned>;
  llvm::DenseMap<Operation, SmallVector<unsigned, 1>> Operations;
  llvm::DenseSet<const BasicBlock *> Executed;
};

} // namespace ergon
