//===- EntryPrediction.h - what an entry will cost --------------*- C++ -*-===//
//
// The machine, setting and caches of a prediction, and the prediction of one counted run: time in
// seconds, energy in joules, power in watts (model/energy/Cost.h has the equations), traffic in
// bytes (docs/traffic.md).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"
#include "formats/prediction/PredictionFormat.h"
#include "model/program/RunScope.h"
#include "predict/answer/EntryCounts.h"
#include "predict/answer/TrafficQuery.h"

#include <expected>
#include <optional>

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

  /// The detail that this needs of the records, of which it asks for accesses itself; with the
  /// lines of all traffic where \p WithLines.
  Detail detail(bool WithLines = false) const {
    return !Asked ? Detail::Costs : WithLines ? Detail::Lines : Detail::Traffic;
  }
};
/// \p M with the setting and caches of the options. Error: no such setting, or unknown caches.
std::expected<PredictionTarget, Error> targetOf(std::optional<Machine> M,
                                                const TargetOptions &Options = {});

/// What a run that was \p Counted, as the latest of \p Entry, costs: the document names the entry
/// \p Name. Without a machine it has counts, and traffic where caches were given. Error: what the
/// profile has no cost for, traffic that was asked for and is not known, a number that is too
/// large.
std::expected<PredictionDocument, Error> predict(CountedEntry &Entry, EntryCounts Counted,
                                                 const PredictionTarget &Target,
                                                 const std::string &Name = {});

} // namespace ergon
