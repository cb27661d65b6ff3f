//===- CalibrationLog.h - the log of a calibration's samples ----*- C++ -*-===//
//
// Writes the raw samples beside a profile: CSV for `ergon fit`. While samples are taken the file's
// name ends in `.part`, and a later run continues it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"

#include <cstdio>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

class CalibrationLog {
public:
  /// Opens the one of the profile \p Profile, for samples with these classes, taken at these core
  /// clocks in MHz. Errors: it cannot be written or read, or what is in it was taken of other
  /// probes or at a clock more than 2 % off all of them.
  static std::expected<CalibrationLog, Error> open(const std::string &Profile,
                                                   const std::vector<std::string> &Classes,
                                                   const std::vector<double> &ClocksMhz);

  /// Seconds, joules if there was a meter, and counts of earlier samples of a workload.
  struct Row {
    double TimeS;
    std::optional<double> EnergyJ;
    std::map<std::string, double> Counts;
  };
  /// Samples of an earlier run at the current clock, by probe.
  const std::map<std::string, std::vector<Row>> &before() const { return Before[Now]; }
  /// The clock for before() and add(): the first given one until another is set. For a single
  /// clock, the one first written to the file.
  double coreMhz() const { return ClocksMhz[Now]; }
  const std::vector<double> &clocksMhz() const { return ClocksMhz; }
  void setCoreMhz(double Mhz);

  /// Writes a sample through to the disk. Error: the disk is full, for instance.
  std::expected<void, Error> add(const std::string &Workload, double TimeS,
                                 std::optional<double> EnergyJ,
                                 const std::map<std::string, double> &Counts);
  /// Writes all samples but those of flushed data to the file without the suffix `.part`, and
  /// removes the other; returns the new name.
  std::expected<std::string, Error> finish();

private:
  std::string Path; ///< without `.part`
  std::vector<std::string> Classes;
  std::vector<double> ClocksMhz;                               ///< whole ones, as they are written
  std::size_t Now = 0;                                         ///< which of them
  std::vector<std::map<std::string, std::vector<Row>>> Before; ///< at each
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> File{nullptr, &std::fclose};

  std::string part() const { return Path + ".part"; }
  Error cannotWrite(int Number) const;
  std::expected<void, Error> write(const std::string &Line);
  std::expected<void, Error> read(std::string Text);
};

} // namespace ergon
