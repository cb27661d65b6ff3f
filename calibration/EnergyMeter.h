//===- EnergyMeter.h - the energy of the processor --------------*- C++ -*-===//
//
// Those of the meters of runtime/meters that tell the energy of the processor and its memory,
// added up.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_CALIBRATION_ENERGYMETER_H
#define ERGON_CALIBRATION_ENERGYMETER_H

#include "runtime/meters/Meter.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

class EnergyMeter {
public:
  /// Of those that are found here. RAPL has a package for each processor, with parts in it, and
  /// memory beside it; other meters are taken where all are of one kind, the parts of the others
  /// not. GPUs are not.
  static EnergyMeter find() { return EnergyMeter(runtime::findMeters()); }
  explicit EnergyMeter(runtime::FoundMeters Found);

  /// Whether any meter tells the processor's energy.
  bool isThere() const { return !Used.empty(); }
  /// What is added up, `powercap/intel-rapl:0`, or why there is nothing.
  std::string name() const;
  /// It has nothing new in so many seconds.
  double periodS() const;
  /// Joules since the first reading; nothing where it can no longer be read: why() says so.
  std::optional<double> joules();
  const std::string &why() const { return Why; }

private:
  struct One {
    std::unique_ptr<runtime::Meter> Reads;
    double Last = 0; ///< what it told last
  };
  std::vector<One> Used;
  std::string Why;
};

} // namespace ergon

#endif
