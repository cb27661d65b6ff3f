//===- TypicalSweep.h - what programs need in the mean ----------*- C++ -*-===//
#pragma once

#include "model/fit/Samples.h"
#include "model/machine/MachineFit.h"

#include <optional>
#include <vector>

namespace ergon {

/// The mean energy at each setting at which nine in ten workloads of \p S ran that were swept at
/// all, of the rows \p IsUsed; nothing where there are fewer than two such settings or workloads.
/// The caller names the source.
std::optional<TypicalEnergy> typicalEnergy(const Samples &S, const std::vector<bool> &IsUsed);

} // namespace ergon
