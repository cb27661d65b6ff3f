//===- PriceErrors.h - how far prices may be off ----------------*- C++ -*-===//
#pragma once

#include "model/fit/Samples.h"
#include "model/machine/Machine.h"

#include <span>

namespace ergon {

/// The jackknife over families overstates what one family changes that the fit leans on. So the
/// covariances of prices in \p M are made smaller where \p Errors say so, predicted/measured - 1 of
/// each row of \p S by a fit without its family, or NaN: of the rows whose error by prices exceeds
/// that of programs (`energy_error`), 95 % are to lie within the former.
void narrowPriceErrors(Machine &M, const Samples &S, std::span<const double> Errors);

} // namespace ergon
