//===- Simulation.h - plans run on SimGrid ----------------------*- C++ -*-===//

#pragma once

#include "model/cluster/Plan.h"
#include "model/symbolic/Error.h"

#include <expected>
#include <string>

namespace ergon {

/// Runs \p Planned on the platform in the file \p Platform (written from the same plan) with
/// SimGrid's energy plugin: an actor for each rank and for each core at work. The network
/// model is CM02 without its corrections for TCP, so that a message alone on its links takes
/// t_s + B·t_w. SimGrid allows one simulation in a process. Error: what SimGrid says.
std::expected<Simulated, Error> simulate(const Plan &Planned, const std::string &Platform);

} // namespace ergon
