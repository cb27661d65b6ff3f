//===- ClockSweep.h - a calibration at several clocks -----------*- C++ -*-===//
//
// Sets the processors' clocks one after another and always restores the original ones. These are
// saved in a file beside the samples: after a kill the same command restores them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "calibration/CpuClocks.h"
#include "formats/json/Error.h"

#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ergon {

class ClockSweep {
public:
  struct Options {
    std::string List;    ///< MHz, as `--sweep-clocks` has them; empty: a few
    std::string Profile; ///< that is calibrated; empty: nothing will be set
    std::string Root = CpuClocks::root();
    std::vector<int> Processors;
    NumberFiles *Files = &system();
    std::function<double()> ClockHz; ///< of the processors at work, measured
  };
  /// Restores what an earlier run left. Errors: clocks cannot be set; a listed clock does not
  /// exist.
  static std::expected<std::unique_ptr<ClockSweep>, Error> open(Options How);
  /// Restores the clocks, or reports why it cannot.
  ~ClockSweep();
  ClockSweep(const ClockSweep &) = delete;
  ClockSweep &operator=(const ClockSweep &) = delete;

  /// Whole MHz, highest first.
  std::vector<double> wantedMhz() const;
  /// Sets one of those clocks. Empty, or why the machine does not run at it. Error: the original
  /// state cannot be saved.
  std::expected<std::string, Error> set(double Mhz);
  /// Restores the original clocks. Error: a file rejects it.
  std::expected<void, Error> restore();

  /// The file with the saved clocks of a profile's calibration.
  static std::string keptAt(const std::string &Profile);

private:
  explicit ClockSweep(Options How, CpuClocks Clocks)
      : How(std::move(How)), Clocks(std::move(Clocks)) {}
  static NumberFiles &system();
  std::expected<void, Error> choose();
  std::expected<void, Error> keep();

  Options How;
  CpuClocks Clocks;
  std::map<double, std::int64_t, std::greater<>> KhzOf; ///< of the wanted ones, by whole MHz
  bool IsSet = false;
};

} // namespace ergon
