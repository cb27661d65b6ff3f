//===- EnergyFile.h - a counter of energy in a file -------------*- C++ -*-===//

#pragma once

#include "runtime/meters/Meter.h"
#include "runtime/meters/SystemFile.h"

namespace ergon::runtime {

/// A file of the kernel's with a number of µJ that only grows, or goes around.
class EnergyFile final : public CounterMeter {
public:
  /// \p Name and \p Covers go into the run record; \p Period is in ns between readings; \p Range in
  /// µJ is where the counter goes around, 0 where it does not.
  EnergyFile(std::string Name, std::string Covers, std::int64_t Period, std::string Path,
             std::uint64_t Range = 0)
      : CounterMeter(std::move(Name), std::move(Covers), Period, 1000, Range),
        Path(std::move(Path)) {}

private:
  Outcome count(std::uint64_t &Raw) override {
    std::int64_t Value = 0;
    if (int Error = readNumber(Path.c_str(), Value))
      return isPassing(Error) ? Outcome::NoNews : end(Path.c_str(), Error);
    Raw = std::uint64_t(Value);
    return Outcome::Read;
  }

  std::string Path;
};

} // namespace ergon::runtime
