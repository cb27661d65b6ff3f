//===- MeasuredOptions.h - measured runs on the command line ----*- C++ -*-===//
#pragma once

#include "formats/json/Error.h"
#include "model/energy/MeasuredModel.h"
#include "model/machine/Machine.h"
#include "model/program/Run.h"

#include <expected>
#include <string>
#include <variant>
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

/// What is taken of a run record for an entry: the region of the entry's name, by its mean; or,
/// where there is none, the whole run.
enum class RunPart { RegionOrWhole, Region };

/// The runs that options name, read once for all entries.
class MeasuredRuns {
public:
  /// \p M is kept by reference. Error: a record that cannot be read, a text that is no time, energy
  /// or setting, numbers that are no run's, energies or settings that are not one for each run.
  static std::expected<MeasuredRuns, Error> read(const MeasuredOptions &Options, const Machine &M);

  /// The runs of \p Entry; without those that have no such \p Part. Error: a record whose meters or
  /// time are not of what the machine is.
  std::expected<std::vector<MeasuredRun>, Error> of(const std::string &Entry,
                                                    RunPart Part = RunPart::RegionOrWhole) const;

private:
  struct Recorded {
    std::string Path;
    ProcessRun Process;
  };
  struct Run {
    std::variant<Recorded, MeasuredRun> From; ///< a record, or what --measured-time says
    Setting Clocks;
  };

  explicit MeasuredRuns(const Machine &M) : M(&M) {}
  std::expected<MeasuredRun, Error> of(const Recorded &Record, const std::string &Entry) const;

  const Machine *M;
  std::vector<Run> Runs;
};

/// The same of one entry.
std::expected<std::vector<MeasuredRun>, Error>
readMeasured(const MeasuredOptions &Options, const Machine &M, const std::string &Entry);

} // namespace ergon
