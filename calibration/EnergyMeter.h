//===- EnergyMeter.h - the energy of the processor --------------*- C++ -*-===//
//
// The sum of the meters of runtime/meters that measure the processor and its memory.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/meters/Meter.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

class EnergyMeter {
public:
  /// Uses the meters of this machine. Of RAPL it takes the packages, each with all its parts, and
  /// memory beside them. Other meters are taken where all are of one kind, without those of parts.
  /// GPUs are left out.
  static EnergyMeter find() { return EnergyMeter(runtime::findMeters()); }
  /// Uses those of \p Found.
  explicit EnergyMeter(runtime::FoundMeters Found);

  /// Whether any meter tells the processor's energy.
  bool isThere() const { return !Used.empty(); }
  /// The names of the meters, as `powercap/intel-rapl:0`, or why there is none.
  std::string name() const;
  /// The update period in seconds.
  double periodS() const;
  /// Joules since the first reading; nothing where it can no longer be read: why() says so.
  std::optional<double> joules();
  /// Why there is no meter, or why it can no longer be read.
  const std::string &why() const { return Why; }

private:
  struct Single {
    std::unique_ptr<runtime::Meter> Reads;
    double Last = 0; ///< the last value
  };
  std::vector<Single> Used;
  std::string Why;
};

} // namespace ergon
