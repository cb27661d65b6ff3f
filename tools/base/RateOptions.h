//===- RateOptions.h - what energy emits and costs --------------*- C++ -*-===//
#pragma once

#include "formats/json/Error.h"
#include "formats/prediction/PredictionFormat.h"
#include "tools/base/Commands.h"

#include <expected>
#include <string>

namespace ergon {

/// Reads `400g/kWh`, `0.3EUR/kWh`. Error: no amount for each kWh, or runs without either.
std::expected<EnergyRates, Error> readRates(const RateOptions &Options);

/// `0.2 g CO₂, 0.0003 EUR a run; 73 kg CO₂, 110 EUR a year of 1000 runs a day`; empty without
/// rates.
std::string ratesText(const EnergyRates &Rates, double EnergyJ);

} // namespace ergon
