//===- Datasheet.h - the vendor's data of a machine -------------*- C++ -*-===//
//
// Peaks and ranges of the hardware, for checking a profile.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <map>
#include <string>

namespace ergon {

/// The vendor's limits. They are not used as costs, only for checks.
struct Datasheet {
  /// Units of a class per cycle of some clock.
  struct Peak {
    double PerClock = 0, Mhz = 0;
    std::string Source;
    /// Units per second.
    double perS() const { return PerClock * Mhz * 1e6; }
  };
  struct Range {
    double Min = 0, Max = 0;
    std::string Source;
  };
  std::map<std::string, Peak> Peaks;
  std::map<std::string, Range> Ranges; ///< by `core_mhz`, `mem_mhz`, `core_mv`, `mem_mv`
};

} // namespace ergon
