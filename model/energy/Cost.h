//===- Cost.h - what counts cost on a machine -------------------*- C++ -*-===//
//
// Counts and a machine become time, energy and power, each with an interval: from
// what is known of the counts, and 95 % of what is stated of the machine's errors.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_ENERGY_COST_H
#define ERGON_MODEL_ENERGY_COST_H

#include "model/energy/PreparedMachine.h"
#include "model/program/Prediction.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace ergon {

/// A number and the interval that it is known to lie in.
struct Interval {
  double Value = 0, Low = 0, High = 0;
};

/// What a run has a machine do, one after the other.
struct Work {
  std::vector<Piece> Pieces;
  /// Parts that run on another processor than the machine, so that they are not in
  /// the cost.
  std::vector<std::string> NotCovered;
};

/// The classes that \p Counts has, sorted.
std::vector<std::string> classesOf(const CountValues &Counts);

/// \p Counts over \p Classes. A profile describes one processor: of code that launches
/// kernels it is the one that runs them, and the host's own code is not covered, but for
/// copies where the profile has a cost for them.
Work workOf(const CountValues &Counts, std::span<const std::string> Classes);

/// Time, energy and power, each in its interval.
struct CostIntervals {
  Interval TimeS, EnergyJ, PowerW;
};
/// Of work at a setting of \p M.
CostIntervals costOf(const PreparedMachine &M, std::size_t Setting, std::span<const Piece> Pieces);

/// The share of the way from Least to Most, above 0 and below 1, at which what bounds
/// one end gives way to what bounds the other; where classes overlap in part, that of the
/// highest power.
std::optional<double> turningPoint(const SettingCosts &Costs, const Piece &P);
/// The counts at a share of the way from Least to Most.
std::vector<double> countsBetween(const Piece &P, double Share);

/// What a run costs on a machine.
struct Cost : CostIntervals {
  /// W/Q by memory level: flops per byte.
  std::map<std::string, double> Intensity;
  std::string Bound;
  std::map<std::string, double> BreakdownJ;
  // See Estimate.
  std::vector<std::string> Missing, Unpriced, Untimed;
  /// See Work.
  std::vector<std::string> NotCovered;
  /// Coefficients that time or energy follows whose source states no error: the
  /// intervals are without it.
  std::vector<std::string> ErrorNotStated;
};

/// W/Q by memory level: flops per byte that moves between it and the next level inward.
std::map<std::string, double> intensities(const CountValues &Values);

/// What \p Counts cost on \p M.
Cost costOn(const Machine &M, const Setting &Clocks, const CountValues &Counts);

/// \p C in a run that takes \p TimeS, by what \p Bound says, while the machine takes
/// \p ConstantW whatever it does.
Cost costAt(Cost C, double TimeS, std::string Bound, double ConstantW);

} // namespace ergon

#endif
