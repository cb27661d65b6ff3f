//===- MachineRegions.h - loops of machine code -----------------*- C++ -*-===//
#pragma once

#include "passes/device/Cubin.h"

#include <vector>

namespace ergon {

/// The natural loops of a function's code. Where these are too many, no instruction is reached.
struct MachineRegions {
  static constexpr unsigned Unreachable = ~0u;

  /// By instruction: the innermost loop, 0 outside of all, Unreachable where the entry does not
  /// lead there: subroutines, and what fills the last line.
  std::vector<unsigned> Of;
  std::vector<unsigned> Parents{0}; ///< by loop
  std::vector<unsigned> Depths{0};  ///< by loop

  explicit MachineRegions(const MachineFunction &Code);
  /// Whether \p Region is \p Outer or inside of it.
  bool isInside(unsigned Region, unsigned Outer) const;
};

} // namespace ergon
