//===- RoofsPlot.h - cache-aware rooflines as plots -------------*- C++ -*-===//
#pragma once

#include "model/energy/CacheRoofs.h"
#include "report/output/Plot.h"

#include <string>
#include <vector>

namespace ergon {

/// Two plots for each class of flops: what is attainable from each level over intensity, with its
/// bandwidth; and, of the parts whose power is known, power over intensity.
std::vector<Plot> roofsPlots(const std::string &Title, const std::vector<CacheRoofs> &All);

} // namespace ergon
