//===- SampleChecks.h - plausibility of samples -----------------*- C++ -*-===//
//
// Checks before a model is fitted to measurements: units off by thousands, empty or duplicate rows,
// collinear classes, clocks that differ from the requested ones.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/fit/SampleReport.h"
#include "model/fit/Samples.h"

namespace ergon {

/// Prepares \p S for a fit and reports changes and findings. After an error the samples are partly
/// processed. Rows keep their order, counts have values.
SampleReport checkSamples(Samples &S);

} // namespace ergon
