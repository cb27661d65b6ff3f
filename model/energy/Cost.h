//===- Cost.h - costs of counts on a machine --------------------*- C++ -*-===//
//
// Time, energy and power of counts on a machine, each with an interval: from the intervals of the
// counts, and 95 % of the stated errors of the machine.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/energy/PreparedMachine.h"
#include "model/program/Prediction.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace ergon {

/// A number and the interval that contains it.
struct Interval {
  double Value = 0, Low = 0, High = 0;
};

/// The work of a run on a machine, in sequence.
struct Work {
  std::vector<Piece> Pieces;
  /// Parts that run on another processor, so that their cost is not included.
  std::vector<std::string> NotCovered;
};

/// The classes that \p Counts has, sorted.
std::vector<std::string> classesOf(const CountValues &Counts);

/// \p Counts over \p Classes. A profile describes one processor: for code that launches kernels,
/// the one that runs these; the host's own code is not covered, except copies where the profile has
/// a cost for them.
Work workOf(const CountValues &Counts, std::span<const std::string> Classes);

/// Time, energy and power, each in its interval.
struct CostIntervals {
  Interval TimeS, EnergyJ, PowerW;
};
/// For work at a setting of \p M.
CostIntervals costOf(const PreparedMachine &M, std::size_t Setting, std::span<const Piece> Pieces);

/// The position between Least and Most, as a share above 0 and below 1, at which the bottleneck
/// changes; where classes overlap in part, that of the highest power.
std::optional<double> turningPoint(const SettingCosts &Costs, const Piece &P);
/// The counts at a position between Least and Most.
std::vector<double> countsBetween(const Piece &P, double Share);

/// A measured run, and what the model alone says of it.
struct ComparedRun {
  MeasuredRun Run;
  double ModelS = 0, ModelJ = 0;
};
/// Those that \p M knows, which must be some.
std::vector<ComparedRun> compared(const PreparedMachine &M);

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
  /// Coefficients of time or energy whose source states no error: the intervals do not include it.
  std::vector<std::string> ErrorNotStated;
  /// Coefficients of time or energy of kind `estimated`: nobody measured them on this machine.
  std::vector<std::string> Estimated{};
  /// The energy without constant power, by the bounds of the counts.
  Interval DynamicJ{};
  double ErrorInTime = 0; ///< one relative standard deviation of the energy in a time that is known
  std::vector<ComparedRun> Measured;    ///< what it was corrected by
  std::optional<Setting> MeasureNext{}; ///< where a further run would tell most

  /// False where the profile has times alone.
  bool hasEnergy() const {
    return TimeS.Value == 0 ||
           std::ranges::any_of(BreakdownJ, [](const auto &Part) { return Part.second != 0; });
  }
};

/// W/Q by memory level: flops per byte that moves between it and the next level inward.
std::map<std::string, double> intensities(const CountValues &Values);

/// The cost of \p Counts on \p M, corrected by \p Runs of the same work.
Cost costOn(const Machine &M, const Setting &Clocks, const CountValues &Counts,
            const std::vector<MeasuredRun> &Runs = {});

/// \p C, the cost of a run that the model says \p Modelled of, corrected by what \p Known knows.
Cost correctedBy(const MeasuredModel &Known, const Setting &Clocks, Cost C,
                 const ModelledRun &Modelled);

/// \p C for a run of \p TimeS with bottleneck \p Bound and constant power \p ConstantW.
Cost costAt(Cost C, const Interval &TimeS, std::string Bound, double ConstantW);

} // namespace ergon
