//===- UnknownStarts.h - runs that start at unknown addresses ---*- C++ -*-===//

#pragma once

#include "model/access/AccessProgram.h"

namespace ergon {

/// A run stays within its object. Where the object's size is known and a run from an unknown start
/// covers nearly all of it, the start has little freedom: its accesses get offsets as if the run
/// were in the middle of the object.
void placeLongRuns(AccessProgram &Program);

} // namespace ergon
