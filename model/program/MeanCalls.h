//===- MeanCalls.h - functions whose calls all cost the same ----*- C++ -*-===//
#pragma once

#include "model/program/Function.h"

namespace ergon {

/// Whether \p Body costs the same whatever it is given: a run counted each block of it. A function
/// of which that is true, and that calls itself m < 1 times on average, makes 1 / (1 - m) calls.
bool isMeanOfAllCalls(const Loop &Body);

} // namespace ergon
