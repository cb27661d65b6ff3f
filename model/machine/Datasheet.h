//===- Datasheet.h - what the vendor says of a machine ----------*- C++ -*-===//
//
// Peaks and ranges of the hardware, which a profile is checked against.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_MACHINE_DATASHEET_H
#define ERGON_MODEL_MACHINE_DATASHEET_H

#include <map>
#include <string>

namespace ergon {

/// What the vendor says the hardware can do. It prices nothing; numbers are held against it.
struct Datasheet {
  /// Units of a class that the machine does in a cycle of some clock.
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

#endif
