//===- CollinearClasses.h - collinear cost classes --------------*- C++ -*-===//
#pragma once

#include "model/fit/SampleReport.h"
#include "model/fit/Samples.h"

namespace ergon {

/// Fills in SampleReport::Proportional and Dependent, and adds findings. Compares counts as a fit
/// with relative weights sees them, per joule of the row; time, the factor of constant power, is
/// one of the columns, named `constant`. Needs values for all counts.
void findCollinear(const Samples &S, SampleReport &Report);

} // namespace ergon
