//===- MeasuredTuning.h - ergon tune --measure ------------------*- C++ -*-===//
//
// Runs a program at the few settings that narrow the choice of a setting most, and tunes with what
// was measured.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "predict/tune/TuneEntries.h"
#include "tools/base/Commands.h"

#include <expected>

namespace ergon {

/// The answer after at most TuneOptions::MeasuredRuns runs of the program, in addition to those
/// that
/// \p Query has: the default setting first, then where a further run tells most. Where clocks
/// cannot be set, it is that of the runs so far, and the standard error says how to make the others
/// by hand. With TuneOptions::DryRun nothing runs and nothing is set: the standard error says what
/// would be. Errors: as of tune(); a program that fails or leaves no record.
std::expected<TuneDocument, Error> tuneMeasured(const TuneOptions &Options, const Machine &M,
                                                TuneQuery Query, CountedRecords From);

} // namespace ergon
