//===- SimulationPlot.h - power over time as a plot -------------*- C++ -*-===//
#pragma once

#include "formats/cluster/SimulationFormat.h"
#include "report/output/Svg.h"

namespace ergon {

/// Power of each processor over time, and of all together where there are several. Processors that
/// draw the same all along share a line.
Plot powerPlot(const SimulationDocument &Document);

} // namespace ergon
