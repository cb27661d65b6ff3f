//===- ChangeErrors.h - errors of the change with the clocks ----*- C++ -*-===//
//
// One run of a program is known, and the model says how time and power change with the clocks: how
// far is that off for programs that a fit did not see? The families that it left out say so, each
// workload as if its run at the highest clocks were known.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/fit/Samples.h"
#include "model/machine/MachineFit.h"

#include <optional>
#include <span>

namespace ergon {

/// From \p Errors, predicted/measured - 1 of the time of each row of \p S by a fit without its
/// family, or NaN. Nothing for fewer than two families with workloads at several settings.
std::optional<SlopeErrors> timeSlopeErrors(const Samples &S, std::span<const double> Errors);

/// The same from those of energy in measured time.
std::optional<SlopeErrors> powerSlopeErrors(const Samples &S, std::span<const double> Errors);

} // namespace ergon
