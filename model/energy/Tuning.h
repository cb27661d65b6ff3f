//===- Tuning.h - which setting is best -------------------------*- C++ -*-===//
//
// All ways to run some work on a machine: its settings, and candidates for the program's own
// parameters. Finds the best by energy, time or their products, within limits; the Pareto front of
// time and energy; and how certain the choice is, given the errors of counts and coefficients.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/energy/Cost.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

enum class Objective { Energy, Edp, Ed2p, Time };
inline constexpr std::array<std::string_view, 4> ObjectiveNames = {"energy", "edp", "ed2p", "time"};
/// The value of `--objective`.
inline std::string_view name(Objective O) { return ObjectiveNames[std::size_t(O)]; }
/// E, E·T, E·T², T.
Figure figure(Objective O);

struct Limits {
  std::optional<double> MaxSlowdown; ///< 0.05: at most 5 % longer than the fastest
  std::optional<double> PowerCapW;   ///< average watts of each piece of the work
};

/// Whether a number is within a limit, up to rounding.
inline bool isWithin(double Value, double Limit) { return Value <= Limit * (1 + 1e-9); }

/// A way to run, and its cost.
struct Option {
  std::size_t Candidate, Setting;
  double TimeS, EnergyJ;
  double DynamicJ;       ///< without constant power
  double PeakW;          ///< the highest average power of a piece
  bool IsAllowed = true; ///< within the limits
  bool IsOnFront = false;
};

/// An option that may be better than the choice.
struct Rival {
  std::size_t Option;
  double Worse;  ///< by how much its figure is larger, relative to the choice's
  double Error;  ///< one standard deviation of that
  bool ByCounts; ///< better for some possible counts
};

struct Choice {
  std::size_t Best;
  /// What the model alone would choose, without what programs need in the mean (TypicalEnergy).
  std::size_t ByModel;
  std::optional<std::size_t> Second; ///< the next best: nothing where nothing else is allowed
  double Ahead = 0;                  ///< by how much the second's figure is larger
  std::vector<Rival> Rivals;         ///< nearest first
  /// Coefficients of the figure without a stated error: they may change the choice.
  std::vector<std::string> ErrorNotStated;

  /// Nothing where no rival is known, but errors are not stated.
  std::optional<bool> isCertain() const;
};

/// Ways to run: every candidate (pieces of work in sequence, over the classes of the machine) at
/// every setting.
class Tuning {
public:
  /// \p Machine must outlive it.
  Tuning(const PreparedMachine &Machine, std::vector<std::vector<Piece>> AllCandidates,
         const Limits &L);

  /// By candidate, then by setting.
  std::vector<Option> Options;
  /// The shortest time, allowed or not, and among these the highest clocks: race to halt.
  std::size_t Fastest = 0;

  /// The allowed option with the lowest figure; ties are broken by energy, then time. Nothing where
  /// none is allowed.
  std::optional<Choice> choose(Objective Goal) const;
  /// What an option costs, with intervals.
  CostIntervals cost(const Option &O) const;
  /// If no option is under the power cap: the option nearest to it.
  std::size_t leastPower() const;

private:
  const PreparedMachine &M;
  std::vector<std::vector<Piece>> Candidates;
  bool CountsVary = false;
  std::vector<double> LikelyJ; ///< of each option: what it is chosen by

  /// The smallest ratio of two options' figures for any counts possible at once, or one of those
  /// below 1.
  double leastRatio(const Option &Above, const Option &Below, Figure F) const;
  // By the formula, without a correction: at the central counts, and at a position from the least
  // to the most.
  /// Of each option, by the model and by what programs need in the mean.
  std::vector<double> likelyEnergies() const;
  PlainCost central(const Option &O) const;
  PlainCost totalAt(const Option &O, double Share) const;
};

/// A run in the two-parameter model at a setting, for its most frequent flops.
struct Balance {
  std::string Class;
  double Intensity;   ///< I = W/Q in flops per byte; infinite without traffic
  double Time;        ///< B_τ in flops per byte
  double Effective;   ///< B̂_ε(I) (2013, eq. 6)
  double EnergyPoint; ///< where I = B̂_ε(I): half of the energy is communication (2013, fig. 4)

  /// B_τ above the effective energy balance: time-efficient code is energy-efficient, and racing to
  /// halt tends to be right (2013, II-D and fig. 4).
  bool favoursRacing() const { return Time > EnergyPoint; }
};
/// Nothing where the run has no flops, or the profile lacks a cost of the two.
std::optional<Balance> balanceOf(const Machine &M, const Setting &Clocks,
                                 std::span<const std::string> Classes,
                                 std::span<const Piece> Pieces);

/// Marks the options on the Pareto front: those that no other beats in time or energy without being
/// worse in the other.
void markFront(std::vector<Option> &Options);

} // namespace ergon
