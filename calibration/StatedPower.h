//===- StatedPower.h - energies of a machine without a meter ----*- C++ -*-===//
//
// Prices from two powers that the owner states, and the rates that were measured: by the law of
// docs/decisions/0044-estimated-profiles.md, with idle and busy power in the place of shares of the
// thermal design power.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/Machine.h"
#include "model/symbolic/Error.h"

#include <expected>
#include <optional>
#include <string>

namespace ergon {

/// Watts.
struct StatedPower {
  double IdleW = 0; ///< whatever runs, above 0
  double BusyW = 0; ///< with all threads at work on flops, above IdleW
};

/// What the owner stated: both powers, or the thermal design power, of which a busy machine draws
/// all and an idle one 0.29. Nothing where nothing is given. Error: one of two, powers that cannot
/// be.
std::expected<std::optional<StatedPower>, Error>
statedPower(std::optional<double> IdleW, std::optional<double> BusyW, std::optional<double> TdpW);

/// Puts energies, constant power and their error into \p M, which has the rates of \p Threads
/// threads together: all of the source \p SourceKey, which the caller describes. Without a rate of
/// flops or a clock, constant power alone.
void addEnergies(Machine &M, const StatedPower &Power, unsigned Threads,
                 const std::string &SourceKey);

} // namespace ergon
