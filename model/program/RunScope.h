//===- RunScope.h - the part of a run that is asked about -------*- C++ -*-===//
#pragma once

#include "model/program/Prediction.h"

#include <string_view>

namespace ergon {

/// A run, its kernels with the copies between host and device, or the host's own code.
enum class RunScope { All, Kernels, Host };
/// `all`, `kernels`, `host`.
std::string_view name(RunScope Scope);

/// The counts of that part of a run. Of code that launches nothing, all is the host's. Counts
/// without a value, and intervals of the whole run, are left out where the part is not all.
CountValues countsIn(CountValues Counts, RunScope Scope);

} // namespace ergon
