//===- EntryPrediction.h - what an entry will cost --------------*- C++ -*-===//
#ifndef ERGON_TOOLS_ENTRYPREDICTION_H
#define ERGON_TOOLS_ENTRYPREDICTION_H

#include "formats/Error.h"
#include "formats/PredictionFormat.h"
#include "tools/Commands.h"

#include <expected>

namespace ergon {

/// Counts one run of an entry and, where the options name a machine, its time and energy there.
/// Symbols without a value are no error: the document's Counts.Unbound has them. Errors: no such
/// machine, record or entry; a name or value that cannot be set; what the profile has no cost for.
std::expected<PredictionDocument, Error> predictEntry(const PredictOptions &Options);

} // namespace ergon

#endif
