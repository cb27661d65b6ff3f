//===- Thresholds.h - how large a change has to be --------------*- C++ -*-===//
#pragma once

#include "model/symbolic/Error.h"

#include <expected>
#include <optional>
#include <span>
#include <string>

namespace ergon {

/// The changes of energy and time that are too small to report. Each quantity is compared by
/// itself, and has to exceed all thresholds that apply to it: the share applies to both. A quantity
/// to which none of several thresholds applies is not compared.
struct Thresholds {
  std::optional<double> Share; ///< of the value before
  std::optional<double> EnergyJ, TimeS;

  /// Without thresholds every difference above rounding exceeds them.
  bool exceededByEnergy(double Before, double After) const;
  bool exceededByTime(double Before, double After) const;
  bool isEmpty() const { return !Share && !EnergyJ && !TimeS; }

private:
  bool exceeded(double Before, double After, std::optional<double> Least) const;
};

/// Whether the difference is larger than rounding.
bool differs(double Before, double After);

/// Parses `1%`, `0.5J` and `20ms`; of several with one unit the largest applies. Error: the text
/// that is no threshold, and the syntax.
std::expected<Thresholds, Error> parseThresholds(std::span<const std::string> Texts);

} // namespace ergon
