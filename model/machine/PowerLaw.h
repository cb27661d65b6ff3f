//===- PowerLaw.h - deviations of power from a sum of costs -----*- C++ -*-===//
//
// Three laws that a fitted profile may add to costs per operation: the core's voltage where it was
// not measured, dynamic power that grows less than in proportion to activity, and the remaining
// difference between the formula and the fitted runs. docs/decisions/0011-fits.md gives the
// reasons.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/Quantity.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ergon {

/// The core's supply voltage over its clock, relative to the voltage at low clocks: V = 1 up to a
/// transition frequency and 1 + rise·(f - transition) above it.
struct VoltageLaw {
  Quantity FlatToMhz;
  Quantity RisePerMhz;

  /// The core's voltage at that clock, in units of the voltage at low clocks.
  double volts(double Mhz) const {
    return Mhz > FlatToMhz.Value ? 1 + RisePerMhz.Value * (Mhz - FlatToMhz.Value) : 1;
  }
};

/// Dynamic power P_ref·(D/P_ref)^a, with D the sum of costs in watts and 0 < a ≤ 1: concurrent
/// operations share part of the pipeline, the clock tree and the wires (Ilic, Pratas and Sousa
/// 2016, section 3).
struct Saturation {
  Quantity Exponent;   ///< a
  Quantity ReferenceW; ///< P_ref, above 0

  /// Dynamic watts for a sum of costs of \p SumW.
  double watts(double SumW) const;
  /// The sum of costs for \p Watts.
  double sumWatts(double Watts) const;

  bool operator==(const Saturation &) const = default;
};

/// The factor exp(Σ weight_i·k(x, point_i)) by which measured energies differed from the formula
/// near the points, k(x, y) = exp(-|x - y|²/(2·length²)). x has, for each axis, the square root of
/// the unit's utilization, and half the share of the highest core clock. Far from all points the
/// factor is 1.
struct Correction {
  struct Axis {
    std::string Class;
    double FullRate = 1; ///< units per second and megahertz of the core: the largest one seen
  };
  /// More axes would need more samples than are available.
  static constexpr std::size_t MaxAxes = 31;
  std::vector<Axis> Axes; ///< MaxAxes at most
  double CoreFullMhz = 0; ///< 0: the clock is no coordinate
  double Length = 1;
  std::vector<double> Points; ///< the first coordinates of all points, then the second ones, …
  std::vector<double> Weights;
  std::string Source;

  /// Coordinates of a point: one for each axis and one for the clock.
  std::size_t dimensions() const { return Axes.size() + 1; }
  /// Coordinates of a run with these units per second for each axis.
  void place(std::span<const double> Rates, std::optional<double> CoreMhz,
             std::span<double> Result) const;
  /// The natural logarithm of the factor at \p Values.
  double logFactor(std::span<const double> Values) const;
};

} // namespace ergon
