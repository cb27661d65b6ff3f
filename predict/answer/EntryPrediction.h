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
#include "predict/answer/EntryCounts.h"
#include "predict/answer/PredictionTarget.h"

#include <expected>
#include <optional>

namespace ergon {

/// What a run that was \p Counted, as the latest of \p Entry, costs: the document names the entry
/// \p Name. Without a machine it has counts, and traffic where caches were given. Error: what the
/// profile has no cost for, traffic that was asked for and is not known, a number that is too
/// large.
std::expected<PredictionDocument, Error> predict(CountedEntry &Entry, EntryCounts Counted,
                                                 const PredictionTarget &Target,
                                                 const std::string &Name = {});

/// The part of it that no price matters to: counts, traffic, a GPU's machine instructions, time by
/// loops. Its errors.
std::expected<PredictionDocument, Error> countOn(CountedEntry &Entry, EntryCounts Counted,
                                                 const PredictionTarget &Target,
                                                 const std::string &Name = {});

/// Widens what counts from source make of a launch: machine instructions and traffic, of whose
/// errors a fit to measured counts says nothing.
void addErrorOfSource(CostIntervals &Costs);

} // namespace ergon
