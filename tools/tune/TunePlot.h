//===- TunePlot.h - what ergon tune finds, as plots -------------*- C++ -*-===//
#pragma once

#include "formats/prediction/TuneFormat.h"
#include "report/output/Svg.h"

#include <vector>

namespace ergon {

/// Energy over time of all ways to run, a plot for each entry: the front, what is chosen, what
/// rules without a model would take, and measured runs.
std::vector<Plot> tunePlots(const TuneDocument &Document);

} // namespace ergon
