//===- MeasuredOptions.h - measured runs on the command line ----*- C++ -*-===//
#pragma once

#include "formats/json/Error.h"
#include "model/energy/MeasuredModel.h"
#include "model/machine/Machine.h"

#include <expected>
#include <string>
#include <vector>

namespace ergon {

/// Runs of what is predicted. Records and times together are the runs, in this order.
struct MeasuredOptions {
  std::vector<std::string> Runs;     ///< run records, or folders with those of one run
  std::vector<std::string> Times;    ///< `1.3s`, `20 ms`
  std::vector<std::string> Energies; ///< `210J`; none, or one for each of Times
  /// The settings of all runs: `core=2000,mem=5500` or `2000/5500`, in MHz. None: one run, at the
  /// profile's default.
  std::vector<std::string> At;

  bool empty() const { return Runs.empty() && Times.empty() && Energies.empty() && At.empty(); }
};

/// The runs of \p Entry on \p M. Of a run record: the region of that name, by its mean, where there
/// is one; otherwise the whole run. Error: a record that cannot be read, a text that is no time,
/// energy or setting, numbers that are no run's, energies or settings that are not one for each
/// run.
std::expected<std::vector<MeasuredRun>, Error>
readMeasured(const MeasuredOptions &Options, const Machine &M, const std::string &Entry);

} // namespace ergon
