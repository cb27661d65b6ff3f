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
#include <vector>

namespace ergon {

/// Positions in the source, numbered from 1. Copies of an instruction have the same position.
class DevicePositions {
public:
  /// What tells two positions apart: line, column, scope and the call that was inlined.
  using Key = std::tuple<unsigned, unsigned, const void *, const void *>;
  static Key keyOf(const llvm::DILocation &Where);

  /// The number of \p Where, a new one if needed; 0 for none.
  unsigned number(const llvm::DILocation *Where);
  /// The position with a number above 0.
  const llvm::DILocation &at(unsigned Number) const { return *All[Number - 1]; }
  std::size_t size() const { return All.size(); }

private:
  llvm::DenseMap<Key, unsigned> Numbers;
  std::vector<const llvm::DILocation *> All;
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
