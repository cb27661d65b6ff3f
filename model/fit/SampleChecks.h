//===- SampleChecks.h - whether samples make sense --------------*- C++ -*-===//
//
// What must be known of measurements before a model is fitted to them: units that are
// off by thousands, rows that say nothing or the same twice, classes that cannot be told
// apart, clocks that were not what they were asked to be.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_FIT_SAMPLECHECKS_H
#define ERGON_MODEL_FIT_SAMPLECHECKS_H

#include "model/fit/SampleReport.h"
#include "model/fit/Samples.h"

namespace ergon {

/// Makes \p S ready for a fit and tells what was done and what is to be known. After an
/// error the samples are as far as it came. Rows keep their order, counts have values.
SampleReport checkSamples(Samples &S);

} // namespace ergon

#endif
