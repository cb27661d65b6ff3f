//===- UnknownStarts.h - runs that start at unknown places ------*- C++ -*-===//

#ifndef ERGON_MODEL_ACCESS_UNKNOWNSTARTS_H
#define ERGON_MODEL_ACCESS_UNKNOWNSTARTS_H

#include "model/access/AccessProgram.h"

namespace ergon {

/// A run stays in its object. So where the object's size is known, and a run from an unknown start
/// goes over nearly all of it, there is little room left for the start: its accesses then have
/// offsets, as if the run lay in the middle of the object.
void placeLongRuns(AccessProgram &Program);

} // namespace ergon

#endif
