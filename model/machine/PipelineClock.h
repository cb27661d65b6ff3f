//===- PipelineClock.h - a core at another clock ----------------*- C++ -*-===//
#pragma once

#include "model/machine/Machine.h"

namespace ergon {

/// The pipeline of \p M at a setting; it was measured at the default one. Core, L1 and TLB take a
/// constant number of cycles. So do accesses to an outer level where its throughput follows the
/// core clock; otherwise they take constant time (Choi and Vuduc 2016, at eq. 6).
Pipeline pipelineAt(const Machine &M, const Setting &Clocks);

} // namespace ergon
