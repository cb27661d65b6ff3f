//===- Thresholds.cpp - how large a change has to be ----------------------===//

#include "model/lint/Thresholds.h"
#include "model/lint/Amount.h"

#include <algorithm>
#include <cmath>

namespace ergon {

/// Less than this part of a figure is rounding.
static constexpr double Rounding = 1e-9;

bool differs(double Before, double After) {
  return std::abs(After - Before) > Rounding * std::max(std::abs(Before), std::abs(After));
}

bool Thresholds::exceeded(double Before, double After, std::optional<double> Least) const {
  if (!isEmpty() && !Share && !Least)
    return false;
  const double Change = std::abs(After - Before);
  return differs(Before, After) && Change > Share.value_or(0) * std::abs(Before) &&
         Change > Least.value_or(0);
}

bool Thresholds::exceededByEnergy(double Before, double After) const {
  return exceeded(Before, After, EnergyJ);
}

bool Thresholds::exceededByTime(double Before, double After) const {
  return exceeded(Before, After, TimeS);
}

std::expected<Thresholds, Error> parseThresholds(std::span<const std::string> Texts) {
  Thresholds Result;
  for (const std::string &Text : Texts) {
    const auto Least = parseAmount(Text);
    if (!Least)
      return std::unexpected(Error{"the threshold \"" + Text + "\" " + std::string(Least.error()) +
                                       (Least.error().ends_with("J nor s") ? ", nor in %" : ""),
                                   "", "write it as 1%, 0.5J or 20ms"});
    std::optional<double> &Same = Least->In == Amount::Unit::Percent ? Result.Share
                                  : Least->In == Amount::Unit::Joule ? Result.EnergyJ
                                                                     : Result.TimeS;
    Same = std::max(Same.value_or(0), Least->Value);
  }
  return Result;
}

} // namespace ergon
