//===- ScalePlot.h - what ergon scale finds, as a plot ----------*- C++ -*-===//
#pragma once

#include "report/output/Svg.h"
#include "tools/scale/Scale.h"
#include "tools/scale/ScaleRuns.h"

namespace ergon {

/// EE over p, a line for each n and clock, and beside it T_1/pT, the efficiency of time. A line has
/// a gap where a point has no value.
Plot scalePlot(const ScaleDocument &Document);
/// EE, or T_1/pT where no energies are known, over p: what was measured as rings, what is predicted
/// as lines with the ends of 95 % intervals beside them.
Plot scalePlot(const ScaledRunsDocument &Document);

} // namespace ergon
