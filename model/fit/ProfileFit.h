//===- ProfileFit.h - a machine profile from measured runs ------*- C++ -*-===//
//
// Energies, times and what programs need in the mean, fitted to one table and put into one machine.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/fit/EnergyFit.h"
#include "model/fit/TimeFit.h"

#include <cstddef>
#include <expected>
#include <optional>
#include <vector>

namespace ergon {

struct ProfileFit {
  EnergyFit Energy; ///< its machine has the times, too
  std::optional<TimeFit> Times;
  std::vector<std::size_t> TimedRows; ///< the rows that times were fitted to
};

/// Fits \p S, which must have passed checkSamples(); times too where \p WithTimes. Every number of
/// the machine has the source `fit`, every setting `samples`: the caller says what these are. Where
/// no row has an energy, times alone are fitted. Errors: as of fitEnergy().
std::expected<ProfileFit, Error> fitProfile(const Samples &S, const EnergyFitOptions &Options,
                                            bool WithTimes);

} // namespace ergon
