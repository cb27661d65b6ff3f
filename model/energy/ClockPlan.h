//===- ClockPlan.h - a setting for each part of a program -------*- C++ -*-===//
//
// A program is a sequence of phases; a phase has parts (kernels) whose launch order is unknown.
// Each part may run at its own setting where that pays for switching: a phase has a base setting,
// and a launch at another one switches away and back, the worst case over launch orders.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/energy/Tuning.h"

#include <optional>
#include <span>
#include <vector>

namespace ergon {

/// Time and energy of something.
struct TimeEnergy {
  double TimeS = 0, EnergyJ = 0;

  /// Sums, and multiples for runs one after the other.
  TimeEnergy &operator+=(const TimeEnergy &Other) {
    TimeS += Other.TimeS;
    EnergyJ += Other.EnergyJ;
    return *this;
  }
  friend TimeEnergy operator+(TimeEnergy Left, const TimeEnergy &Right) { return Left += Right; }
  friend TimeEnergy operator*(double Times, const TimeEnergy &Energy) {
    return {Times * Energy.TimeS, Times * Energy.EnergyJ};
  }
};

/// The cost of all launches of a part at each setting; nothing where it may not run.
struct PlanPart {
  /// Number of launches: each may switch away from its phase's base setting and back. Nothing where
  /// unknown: the part then stays at the base.
  std::optional<double> Launches = 1;
  std::vector<std::optional<TimeEnergy>> CostAtSetting;
};
using PlanPhase = std::vector<PlanPart>; ///< never empty

struct ClockPlan {
  std::vector<std::vector<std::size_t>> Settings; ///< of each part of each phase
  std::vector<std::size_t> Bases;                 ///< of each phase
  TimeEnergy Total;                               ///< switching included
  double Switches = 0;                            ///< upper bound
  /// The best plan's figure is at most this much lower, as a share: above 0 only where a search
  /// with a time limit was stopped.
  double Gap = 0;
};

/// The plan with the lowest figure, exactly. Without a time limit it is a corner of the convex hull
/// of all plans' (T, E), as E·T^k is quasi-concave: each corner minimises a weighted sum of time
/// and energy, a shortest path through phases and settings. Within \p MaxTimeS, extends partial
/// plans that no other dominates in time and energy. Nothing where no plan is within the limit.
std::optional<ClockPlan> planClocks(std::span<const PlanPhase> Phases, const TimeEnergy &Switch,
                                    Objective Goal, std::optional<double> MaxTimeS = std::nullopt);

/// The best plan with a single setting.
std::optional<ClockPlan> planOneSetting(std::span<const PlanPhase> Phases, Objective Goal,
                                        std::optional<double> MaxTimeS = std::nullopt);

/// Each part at its best setting with free switches; breaks ties by fewer switches.
std::optional<ClockPlan> planFreely(std::span<const PlanPhase> Phases, Objective Goal,
                                    std::optional<double> MaxTimeS = std::nullopt);

/// The largest cost of a switch with which \p Split, whose costs exclude switches, is no worse than
/// \p Whole: in joules where \p Goal is energy, else in seconds, at \p Split's average power.
/// Infinite where it does not switch.
double breakEvenSwitch(const ClockPlan &Split, const ClockPlan &Whole, Objective Goal);

} // namespace ergon
