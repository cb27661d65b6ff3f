//===- PredictionTarget.h - the machine of a prediction ---------*- C++ -*-===//
#pragma once

#include "formats/json/Error.h"
#include "model/energy/MeasuredModel.h"
#include "model/program/RunScope.h"
#include "predict/answer/TrafficQuery.h"
#include "predict/store/RecordStore.h"

#include <expected>
#include <optional>
#include <vector>

namespace ergon {

/// The requested clocks and caches of a machine.
struct TargetOptions {
  std::optional<double> CoreMhz{}, MemMhz{}; ///< absent: the profile's default setting
  TrafficQuery Traffic{};
};

/// The target of a prediction.
struct PredictionTarget {
  std::optional<Machine> M; ///< nothing: counts only
  Setting Clocks;
  std::optional<TrafficRequest> Asked; ///< nothing: no traffic
  RunScope Scope = RunScope::All;
  std::vector<MeasuredRun> Measured{}; ///< runs of what is predicted, which correct time and energy

  /// The detail that this needs of the records, of which it asks for accesses itself; with the
  /// lines of all traffic where \p WithLines.
  Detail detail(bool WithLines = false) const {
    return !Asked ? Detail::Costs : WithLines ? Detail::Lines : Detail::Traffic;
  }
};
/// Refuses code of the other processor than \p M has costs of: a kernel, or code that launches
/// kernels, on a CPU's profile, and code of a host that neither launches nor copies on a GPU's.
std::optional<Error> refuseOtherProcessor(const Machine &M, const std::string &Function,
                                          bool IsDevice, const CountValues &Counts, RunScope Scope);
/// Refuses a profile that holds data for another command alone.
std::optional<Error> refuseData(const Machine &M);
/// Measured runs of work that \p M has no time of.
Error noTimeToCorrect(const Machine &M);

/// \p M with the setting and caches of the options. Error: no such setting, or unknown caches.
std::expected<PredictionTarget, Error> targetOf(std::optional<Machine> M,
                                                const TargetOptions &Options = {});

} // namespace ergon
