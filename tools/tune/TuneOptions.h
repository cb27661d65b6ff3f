//===- TuneOptions.h - limits and candidates from the command line --------===//

#pragma once

#include "formats/json/Error.h"
#include "predict/tune/TuneEntries.h"
#include "tools/base/Commands.h"

#include <expected>

namespace ergon {

/// What the options ask for. Error: a limit or a candidate that is none, a pair NAME=VALUE that is
/// none.
std::expected<TuneQuery, Error> readTuneOptions(const TuneOptions &Options);

} // namespace ergon
