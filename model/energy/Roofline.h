//===- Roofline.h - time, energy and power from counts ----------*- C++ -*-===//
//
// The energy roofline of Choi, Bedard, Fowler and Vuduc, "A roofline model of energy" (IPDPS 2013;
// "2013" below): the two-parameter model with its balance points and curves, and the same model
// over any number of cost classes. Times overlap, energies add up. A power cap throttles the clock:
// the run is stretched until its average power is the cap.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/Machine.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ergon {

/// One kind of flop and one kind of traffic: 2013, Tables I and II. W counts
/// flops, Q bytes and I = W/Q flops per byte; I may be 0 or infinite.
struct RooflineParameters {
  double TauFlop = 0;             ///< τ_flop, seconds per flop, above 0
  double TauMem = 0;              ///< τ_mem, seconds per byte, above 0
  double EpsFlop = 0;             ///< ε_flop, joules per flop
  double EpsMem = 0;              ///< ε_mem, joules per byte
  double Pi0 = 0;                 ///< π0, watts; ε_flop and π0 are not both 0
  std::optional<double> PowerCap; ///< watts, above π0

  // Properties of the machine (2013, Table I).
  double timeBalance() const;        ///< B_τ = τ_mem/τ_flop, flops per byte
  double energyBalance() const;      ///< B_ε = ε_mem/ε_flop, flops per byte
  double flopPower() const;          ///< π_flop = ε_flop/τ_flop, watts
  double fullEnergyPerFlop() const;  ///< ε̂_flop = ε_flop + π0·τ_flop, joules
  double constantEfficiency() const; ///< η_flop = ε_flop/ε̂_flop, 0 to 1
  /// B̂_ε(I), the effective energy balance in flops per byte (2013, eq. 6).
  double effectiveBalance(double I) const;
  /// The intensity I = B̂_ε(I), where half of the energy goes into communication and the arch line
  /// is at 1/2 (2013, fig. 4).
  double balancePoint() const;

  // Curves over intensity as in the paper: without the power cap.
  double roofline(double I) const;  ///< W·τ_flop/T, at most 1 (2013, eq. 3)
  double archLine(double I) const;  ///< W·ε̂_flop/E, at most 1 (2013, eq. 5)
  double powerline(double I) const; ///< average watts (2013, eq. 7)
  /// The maximum of the power line in watts (2013, eq. 8, plus π0: the paper has the bound for π0 =
  /// 0).
  double powerBound() const;

  // The cost of W flops and Q bytes under the power cap.
  double time(double W, double Q) const;   ///< T in seconds (2013, eq. 1)
  double energy(double W, double Q) const; ///< E in joules (2013, eq. 2 and 4)
  double power(double W, double Q) const;  ///< P = E/T in watts; 0 where T is 0

  /// The factor by which the cap lengthens a run of intensity I: 1 or above.
  double stretch(double I) const;
  /// The intensities between which the cap binds; the end may be infinite. Nothing where it never
  /// binds, or there is none.
  std::optional<std::pair<double, double>> cappedIntensities() const;

  /// ΔE, the factor by which energy decreases where F·W flops and Q/M bytes replace W and Q (2013,
  /// above eq. 10).
  double greenup(double W, double Q, double F, double M) const;
  /// The F below which M ≥ 1 times less traffic is a greenup for a baseline of intensity I: 2013,
  /// eq. 10 where π0 is 0, and for any π0 while no cap binds. M may be infinite.
  double greenupLimit(double I, double M) const;
};

/// The two-parameter model of a machine at a setting for one class of flops. Nothing where the
/// profile lacks one of the four costs or π0, or where a flop costs no energy.
std::optional<RooflineParameters> rooflineParameters(const Machine &M, const Setting &Clocks,
                                                     const std::string &FlopsClass);

/// The cost of one unit of a class at a setting; 0 where unknown.
struct UnitCost {
  double EpsJ = 0, TauS = 0;
  bool HasEnergy = false, HasTime = false;
  bool IsFlops = false;  ///< `flops_*`: these share their units, so their times add up
  bool IsLaunch = false; ///< `launches`: before all else of a kernel begins

  bool operator==(const UnitCost &) const = default;
};

/// Time and energy of some counts, without names.
struct PlainCost {
  double TimeS = 0, EnergyJ = 0, DynamicJ = 0;
  /// The index of the bottleneck class, or one of these.
  int Bound = NoBound;
  static constexpr int NoBound = -1, CapBound = -2;

  /// Mean power in watts; 0 for no time.
  double powerW() const { return TimeS > 0 ? EnergyJ / TimeS : 0; }
};

/// A profile at one setting, prepared for a list of classes, to evaluate many counts.
struct SettingCosts {
  /// Copies from \p M the costs of counts in the order of \p Classes. \p M must outlive it: a
  /// correction is not copied.
  SettingCosts(const Machine &M, const Setting &Clocks, std::span<const std::string> Classes);

  std::vector<UnitCost> Units; ///< in the order of the classes
  std::optional<double> Pi0W;  ///< constant power in watts
  std::optional<double> CapW;  ///< the power cap in watts
  std::optional<double> OverlapExponent;

  /// Time and energy of \p Counts (units of each class, 0 or above): T = max over
  /// classes of count·τ (2013, eq. 1), or their p-norm where they overlap in part,
  /// stretched by the cap; E = Σ count·ε + π0·T
  /// (2013, eq. 2; 2016, eq. 9), by the laws that the profile adds (PowerLaw.h).
  /// Infinite where the cap leaves nothing above π0.
  PlainCost of(std::span<const double> Counts) const;
  /// The same for a given time: the cost of the counts if they take \p TimeS, above 0. At most what
  /// the power cap allows.
  PlainCost in(double TimeS, std::span<const double> Counts) const;
  /// The time that PlainCost::Bound \p Which alone requires: of its class, of all flops, or of the
  /// power cap. Without partial overlap, the longest of these is the time.
  double roof(int Which, std::span<const double> Counts) const;

  bool operator==(const SettingCosts &) const = default;

private:
  std::optional<Saturation> Saturates;
  /// Of a fitted machine, which must outlive this.
  const Correction *Corrects = nullptr;
  std::vector<int> CorrectsClass; ///< position of the class of each axis; -1: not counted
  std::optional<double> CoreMhz;

  /// The time by throughputs, and its bottleneck.
  PlainCost byThroughput(std::span<const double> Counts) const;
  double logCorrection(double TimeS, std::span<const double> Counts) const;
  double sum(std::span<const double> Counts) const;
  double underCap(double SumJ, double LogFactor) const;
};

/// The cost of a set of counts on a machine.
struct Estimate {
  double TimeS = 0;
  double EnergyJ = 0;
  double PowerW = 0; ///< EnergyJ/TimeS; 0 where the time is 0
  /// The bottleneck: a class, a memory level (`dram` for `bytes_dram`), `power_cap`, or `none`
  /// where the time is 0. Classes `flops_*` share their units; the longest one represents them.
  std::string Bound = "none";
  /// Joules per counted class with an energy cost, and `constant` for π0·T. The sum is EnergyJ.
  std::map<std::string, double> BreakdownJ;

  // Counted classes with incomplete costs in the profile; each is in one list.
  /// `flops_*` or `bytes_dram` without energy or throughput, and `constant` where π0 is unknown at
  /// the setting: the estimate is useless.
  std::vector<std::string> Missing;
  std::vector<std::string> Unpriced; ///< no energy: not in EnergyJ, nor in TimeS if untimed too
  std::vector<std::string> Untimed;  ///< energy but no throughput: not in TimeS
};

/// SettingCosts::of() with names; \p Classes are those that \p Costs was made for.
Estimate estimate(const SettingCosts &Costs, std::span<const std::string> Classes,
                  std::span<const double> Counts);
/// The same for \p Counts by class on \p M at \p Clocks.
Estimate estimate(const Machine &M, const Setting &Clocks,
                  const std::map<std::string, double> &Counts);

} // namespace ergon
