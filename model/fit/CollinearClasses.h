//===- CollinearClasses.h - classes that cannot be told apart ---*- C++ -*-===//
#ifndef ERGON_MODEL_FIT_COLLINEARCLASSES_H
#define ERGON_MODEL_FIT_COLLINEARCLASSES_H

#include "model/fit/SampleReport.h"
#include "model/fit/Samples.h"

namespace ergon {

/// Fills in SampleReport::Proportional and Dependent, and says so in its findings. Counts
/// are compared as a fit with relative weights sees them, per joule of the row; time,
/// which is what constant power is multiplied by, is one of the columns, named
/// `constant`. Needs values for all counts.
void findCollinear(const Samples &S, SampleReport &Report);

} // namespace ergon

#endif
