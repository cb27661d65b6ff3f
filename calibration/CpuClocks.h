//===- CpuClocks.h - the clocks of processors, by cpufreq -------*- C++ -*-===//
//
// Linux's cpufreq has a policy for each group of processors with one clock, a folder of small
// files: https://docs.kernel.org/admin-guide/pm/cpufreq.html, "Policy Interface in sysfs". A clock
// is set by its bounds, scaling_min_freq and scaling_max_freq: whatever governor there is stays
// between them. Ergon writes nothing else.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/Error.h"

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// Files that hold a number each.
class NumberFiles {
public:
  virtual ~NumberFiles() = default;
  // 0, or an errno value.
  virtual int read(const std::string &Path, std::int64_t &Value) const;
  /// Writes the number and a line break.
  virtual int write(const std::string &Path, std::int64_t Value);
  /// The error that a write would give, as 0 or an errno value.
  virtual int mayWrite(const std::string &Path) const;
};

/// The bounds of a policy's clock.
struct ClockBounds {
  std::string Policy; ///< its folder
  std::int64_t LowKhz = 0, HighKhz = 0;
};

/// The clock that some processors have together.
class CpuClocks {
public:
  /// The folder of the policies; ERGON_CPUFREQ_ROOT is another one.
  static std::string root();
  /// The policies of \p Processors under \p Root. Error: there are none, a file of theirs cannot
  /// be read or may not be written, or they have no clock in common.
  static std::expected<CpuClocks, Error>
  find(const std::string &Root, const std::vector<int> &Processors, NumberFiles &Files);

  /// The clocks that all can have, in kHz, lowest first: those that are listed, or between the
  /// lowest and the highest each 100 MHz.
  const std::vector<std::int64_t> &stepsKhz() const { return Steps; }
  /// A few of these: the lowest, the highest, the one that the processor holds under any load (the
  /// middle where that is not known), and the middles between these.
  std::vector<std::int64_t> someKhz() const;

  /// The clocks as they were found.
  const std::vector<ClockBounds> &found() const { return Found; }
  /// Sets all to one clock. Error: a file refuses it, or reads otherwise afterwards, as where the
  /// kernel keeps to other bounds. Some may be set then.
  std::expected<void, Error> set(std::int64_t Khz);
  /// Puts back what was found, as far as that goes. Error: the first file that refuses.
  std::expected<void, Error> restore();

private:
  explicit CpuClocks(NumberFiles &Files) : Files(&Files) {}
  std::expected<void, Error> add(const std::string &Policy);

  NumberFiles *Files;
  std::vector<ClockBounds> Found;
  std::vector<std::int64_t> Steps;
  std::optional<std::int64_t> Base; ///< the clock that is held under any load
};

/// Writes the bounds of a policy, in such an order that the low one is never above the high one.
std::expected<void, Error> writeBounds(NumberFiles &Files, const ClockBounds &Bounds);
/// Reads them.
std::expected<ClockBounds, Error> readBounds(const NumberFiles &Files, const std::string &Policy);

} // namespace ergon
