//===- EntryPrediction.h - what an entry will cost --------------*- C++ -*-===//
//
// The machine, its setting and its caches that a prediction is for, and the prediction of one run
// that was counted: time in seconds, energy in joules, power in watts (model/energy/Cost.h has
// the equations), traffic in bytes (docs/traffic.md).
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PREDICT_ANSWER_ENTRYPREDICTION_H
#define ERGON_PREDICT_ANSWER_ENTRYPREDICTION_H

#include "formats/json/Error.h"
#include "formats/prediction/PredictionFormat.h"
#include "predict/answer/EntryCounts.h"
#include "predict/answer/TrafficQuery.h"

#include <expected>
#include <optional>

namespace ergon {

/// The clocks and the caches that are asked for of a machine.
struct TargetOptions {
  std::optional<double> CoreMhz{}, MemMhz{}; ///< absent: the profile's default setting
  TrafficQuery Traffic{};
};

/// What is predicted for.
struct PredictionTarget {
  std::optional<Machine> M; ///< nothing: counts alone
  Setting Clocks;
  std::optional<TrafficRequest> Asked; ///< nothing: no traffic

  /// How much of the records that takes.
  Detail detail() const { return Asked ? Detail::All : Detail::Costs; }
};
/// \p M at the setting and with the caches of the options. Error: there is no such setting, or
/// caches are not known.
std::expected<PredictionTarget, Error> targetOf(std::optional<Machine> M,
                                                const TargetOptions &Options = {});

/// What a run that was \p Counted, as the latest of \p Entry, costs: the document names the entry
/// \p Name. Without a machine it has counts, and traffic where caches were given. Error: what the
/// profile has no cost for, traffic that was asked for and is not known, a number that is too
/// large.
std::expected<PredictionDocument, Error> predict(const CountedEntry &Entry, EntryCounts Counted,
                                                 const PredictionTarget &Target,
                                                 const std::string &Name = {});

} // namespace ergon

#endif
