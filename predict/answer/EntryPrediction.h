//===- EntryPrediction.h - what an entry will cost --------------*- C++ -*-===//
#ifndef ERGON_PREDICT_ANSWER_ENTRYPREDICTION_H
#define ERGON_PREDICT_ANSWER_ENTRYPREDICTION_H

#include "formats/json/Error.h"
#include "formats/prediction/PredictionFormat.h"
#include "predict/answer/CacheOptions.h"
#include "predict/answer/EntryCounts.h"
#include "tools/base/Commands.h"

#include <expected>
#include <optional>

namespace ergon {

/// What is predicted for.
struct PredictionTarget {
  std::optional<Machine> M; ///< nothing: counts alone
  Setting At;
  std::optional<TrafficRequest> Asked; ///< nothing: no traffic

  /// How much of the records that takes.
  Detail detail() const { return Asked ? Detail::All : Detail::Costs; }
};
/// \p M at the setting and with the caches of the options. Error: there is no such setting, or
/// caches that make no sense or are not known.
std::expected<PredictionTarget, Error> targetOf(std::optional<Machine> M,
                                                const PredictOptions &Options);

/// What a run that was \p Counted, as the latest of \p Entry, costs. Error: what the profile has no
/// cost for.
std::expected<PredictionDocument, Error> predict(const CountedEntry &Entry, EntryCounts Counted,
                                                 const PredictionTarget &On,
                                                 const PredictOptions &Options);

/// Counts one run of an entry and, where the options name a machine, its time and energy there.
/// Symbols without a value are no error: the document's Counts.Unbound has them. Errors: no such
/// machine, record or entry; a name or value that cannot be set; what the profile has no cost for.
std::expected<PredictionDocument, Error> predictEntry(const PredictOptions &Options);

} // namespace ergon

#endif
