//===- ClockPlan.h - a setting for each part of a program -------*- C++ -*-===//
//
// A program is phases one after the other, and a phase has parts (kernels) whose
// launches come in an order that is not known. Each part may run at a setting of its
// own where that pays for switching: a phase has a base setting, and a launch of a part
// that runs elsewhere switches away and back, which is the most that any order of
// launches can ask for.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_ENERGY_CLOCKPLAN_H
#define ERGON_MODEL_ENERGY_CLOCKPLAN_H

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

/// What all launches of a part cost at each setting; nothing where it may not run.
struct PlanPart {
  /// How often it may begin: each time it may switch away from its phase's base setting and
  /// back. Nothing where that is not known: then it stays there.
  std::optional<double> Launches = 1;
  std::vector<std::optional<TimeEnergy>> CostAtSetting;
};
using PlanPhase = std::vector<PlanPart>; ///< never empty

struct ClockPlan {
  std::vector<std::vector<std::size_t>> Settings; ///< of each part of each phase
  std::vector<std::size_t> Bases;                 ///< of each phase
  TimeEnergy Total;                               ///< switching included
  double Switches = 0;                            ///< at most so many
  /// The best plan's figure is at most this much smaller, relative to it: above 0 only
  /// where a search within a limit of time was given up.
  double Gap = 0;
};

/// The plan of the least figure, exactly. Without a limit of time it is a corner of the
/// convex hull of all plans' (T, E), as E·T^k is quasi-concave: each corner is least in
/// some weighted sum of time and energy, which is a shortest path through phases and
/// settings. Within \p MaxTimeS partial plans are extended that are not worse in both
/// time and energy than another. Nothing where no plan is within the limit.
std::optional<ClockPlan> planClocks(std::span<const PlanPhase> Phases, const TimeEnergy &Switch,
                                    Objective Goal, std::optional<double> MaxTimeS = std::nullopt);

/// All of it at one setting: the best such plan.
std::optional<ClockPlan> planOneSetting(std::span<const PlanPhase> Phases, Objective Goal,
                                        std::optional<double> MaxTimeS = std::nullopt);

/// Each part where it is best if switching costs nothing; of such plans one of few switches.
std::optional<ClockPlan> planFreely(std::span<const PlanPhase> Phases, Objective Goal,
                                    std::optional<double> MaxTimeS = std::nullopt);

/// What a switch may take at most for \p Split, without its switches' cost, to be no worse
/// than \p Whole: in joules where \p Goal is energy, else in seconds, at \p Split's average
/// power. Infinite where it does not switch.
double breakEvenSwitch(const ClockPlan &Split, const ClockPlan &Whole, Objective Goal);

} // namespace ergon

#endif
