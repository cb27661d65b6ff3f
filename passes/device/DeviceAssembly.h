//===- DeviceAssembly.h - machine code of a device module -------*- C++ -*-===//
//
// The machine code that a module's functions become: a copy of the module goes through LLVM's back
// end and, where a CUDA toolkit is, through its assembler, with the numbers of positions for lines.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/DeviceResources.h"
#include "passes/device/Cubin.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <string>
#include <tuple>

namespace ergon {

/// Positions in the source, apart by the block of the code that is assembled, numbered from 1.
/// Copies of an instruction in one block have the same number.
class DevicePositions {
public:
  /// What tells two positions apart: line, column, scope and the call that was inlined.
  using Key = std::tuple<unsigned, unsigned, const void *, const void *>;
  /// Zeros for an instruction without a position.
  static Key keyOf(const Instruction &I);

  /// The number of \p I's position, a new one if needed.
  unsigned number(const Instruction &I);
  /// The same, 0 where it has none yet.
  unsigned lookup(const Instruction &I) const;

private:
  llvm::DenseMap<std::pair<Key, const BasicBlock *>, unsigned> Numbers;
};

/// The assembler's output.
struct DeviceCode {
  std::map<std::string, MachineFunction> Functions;
  std::map<std::string, DeviceResources> Resources;
};

/// The code of \p M, whose positions get numbers in \p Positions; nothing where there is no back
/// end or no assembler, or they do not succeed. \p M stays as it is.
DeviceCode deviceCode(const llvm::Module &M, DevicePositions &Positions);

} // namespace ergon
