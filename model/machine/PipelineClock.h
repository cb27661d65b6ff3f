//===- PipelineClock.h - a core at another clock ----------------*- C++ -*-===//
#ifndef ERGON_MODEL_MACHINE_PIPELINECLOCK_H
#define ERGON_MODEL_MACHINE_PIPELINECLOCK_H

#include "model/machine/Machine.h"

namespace ergon {

/// What one core of \p M, which has a pipeline, does at a setting. It was measured at the default
/// one. What happens within the core and L1, looking up pages too, takes as many cycles at any
/// clock; accesses to an outer level do where the throughput of that level follows the core's
/// clock, and otherwise take as long as they did (Choi and Vuduc 2016, at eq. 6).
Pipeline pipelineAt(const Machine &M, const Setting &Clocks);

} // namespace ergon

#endif
