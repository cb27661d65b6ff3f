//===- ScalePlot.h - what ergon scale finds, as a plot ----------*- C++ -*-===//
#pragma once

#include "report/output/Svg.h"
#include "tools/scale/Scale.h"

namespace ergon {

/// EE over p, a line for each n and clock, and beside it T_1/pT, the efficiency of time. A line has
/// a gap where a point has no value.
Plot scalePlot(const ScaleDocument &Document);

} // namespace ergon
