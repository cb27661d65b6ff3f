//===- PlatformFormat.h - platforms as SimGrid reads them -------*- C++ -*-===//

#pragma once

#include "model/cluster/Plan.h"

#include <string>

namespace ergon {

/// The processors and links of \p Planned as a SimGrid platform (simgrid.dtd, version 4.1): a host
/// each, with a speed in flop/s and `wattage_per_state` (idle:busy, or idle:idle:all cores) for
/// each of its states; a link from each rank to a router, and one to each attached processor.
std::string writePlatform(const Plan &Planned);

} // namespace ergon
