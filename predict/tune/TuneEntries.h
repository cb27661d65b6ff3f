//===- TuneEntries.h - the best settings of a machine for functions -------===//

#ifndef ERGON_PREDICT_TUNE_TUNEENTRIES_H
#define ERGON_PREDICT_TUNE_TUNEENTRIES_H

#include "formats/json/Error.h"
#include "formats/prediction/TuneFormat.h"
#include "tools/base/Commands.h"

#include <expected>
#include <string>
#include <vector>

namespace ergon {

/// What `ergon tune` finds. Error: what predict refuses, a limit or candidate that is none, a
/// power cap or slowdown that no setting keeps.
std::expected<TuneDocument, Error> tune(const TuneOptions &Options);

/// Commands that put a processor of that kind at a setting, with what each is for.
std::vector<std::string> clockCommands(MachineKind Kind, const Setting &At);

} // namespace ergon

#endif
