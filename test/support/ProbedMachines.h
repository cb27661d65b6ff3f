//===- ProbedMachines.h - machines to be measured ---------------*- C++ -*-===//

#pragma once

#include "calibration/Probes.h"

namespace ergon {

inline const ProbedMachine &twoCores() {
  static const ProbedMachine Result{
      {{.Level = "l1", .Bytes = 32 << 10, .LineBytes = 64, .SharedBy = 1},
       {.Level = "l2", .Bytes = 1 << 20, .LineBytes = 64, .SharedBy = 1},
       {.Level = "l3", .Bytes = 8 << 20, .LineBytes = 64, .SharedBy = 2}},
      2,
      std::uint64_t(4) << 30};
  return Result;
}

} // namespace ergon
