//===- MeasuredModel.h - a model that measured runs correct -----*- C++ -*-===//
//
// Counts tell how time and power change with the clocks better than how long a program takes. A run
// that was measured at one setting says that; further ones say what the model has wrong of the
// change. docs/decisions/0043-measured-runs.md has the choices and what they were tried on.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/MachineFit.h"
#include "model/machine/Setting.h"

#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ergon {

/// 95 % of a normal distribution are within this many standard deviations.
inline constexpr double Deviations95 = 1.96;
/// The factor to both sides of a number with the relative standard deviation \p Error within which
/// 95 % lie. Errors are ratios: a time may be twice as long or half as long.
inline double factor95(double Error) { return std::exp(Deviations95 * Error); }

/// A run that was measured at a setting.
struct MeasuredRun {
  Setting Clocks;
  double TimeS = 0;              ///< above 0
  std::optional<double> EnergyJ; ///< above 0; nothing: no meter
  std::string Source;            ///< where the numbers are from
};

/// What a model says of a run.
struct ModelledRun {
  double TimeS = 0;
  /// In joules, where the run takes the given seconds.
  std::function<double(double)> EnergyJ{};
};

/// A logarithm that changes linearly with those of the clocks, from what is known of it at some
/// settings: linear regression whose coefficients are known beforehand to be near 0 (ridge
/// regression; Rasmussen & Williams, "Gaussian Processes for Machine Learning", 2006, section 2.1).
class ClockRegression {
public:
  /// Standard deviations that are known beforehand: of the level; of the slopes; of each value by
  /// itself; and of what is not linear, by the distance in the logarithms of the clocks from the
  /// nearest setting that is known.
  struct Prior {
    double Level;
    SlopeErrors Slopes;
    double Noise, Bend;
  };

  /// Slopes are relative to the clocks of \p Origin; without values the prior alone.
  ClockRegression(const Prior &P, const Setting &Origin, std::span<const Setting> At,
                  std::span<const double> Values);

  double mean(const Setting &S) const;
  double slope(Domain D) const { return Mean[D == Domain::Core ? 1 : 2]; }
  /// Standard deviation of the value at \p S.
  double error(const Setting &S) const;
  /// What of it is not the slopes': of the level, the value by itself, and what is not linear.
  double errorBesideSlopes(const Setting &S) const;
  /// Of the difference between the values at two settings; 0 for one setting.
  double errorOfDifference(const Setting &Left, const Setting &Right) const;

private:
  static constexpr std::size_t Size = 3;
  using Vector = std::array<double, Size>;
  Prior P;
  Setting Origin;
  std::vector<Setting> At;
  /// How many times as large as known beforehand errors are: above 1 where values disagree.
  double Disagree = 1;
  Vector Mean{};
  std::array<Vector, Size> Covariance{};

  Vector features(const Setting &S) const;
  double variance(const Vector &Direction) const;
  double bend(const Setting &S) const;
};

/// The time and energy of a program at any setting, by a model and measured runs of the program.
class MeasuredModel {
public:
  using Model = std::function<ModelledRun(const Setting &)>;

  /// \p Runs, at least one, in any order. Errors are those of what is measured; what the runs'
  /// power was is not known where none of them has an energy. \p Change is what a fit says of
  /// programs that it did not see; what it does not say is known of other machines.
  MeasuredModel(std::vector<MeasuredRun> Runs, Model M, const ChangeErrors &Change = {});

  /// What is known beforehand of the time, and of the power in a known time.
  static ClockRegression::Prior timePrior(const ChangeErrors &Change = {});
  static ClockRegression::Prior powerPrior(const ChangeErrors &Change = {});

  /// One relative standard deviation, toward the lower and the upper end of an interval.
  struct Sides {
    double Below = 0, Above = 0;
  };
  /// At a setting.
  struct Answer {
    double TimeS = 0, EnergyJ = 0;
    Sides TimeError;
    std::optional<double> PowerError; ///< in a known time; nothing: that of the model
    /// d ln E/d ln T: a longer run of the same work adds what power is constant.
    double EnergyFollows = 1;

    /// Of E^EnergyPower·T^TimePower, whose time is off by \p OfParts, too.
    Sides error(int EnergyPower, int TimePower, double OfParts = 0) const;
  };
  Answer at(const Setting &S) const;

  /// One standard deviation of the ratio of E^EnergyPower·T^TimePower between two settings.
  double errorOfRatio(const Setting &Left, const Setting &Right, int EnergyPower,
                      int TimePower) const;
  /// At how many settings it was measured; runs at two or more say how this program changes with
  /// the clocks.
  std::size_t knownSettings() const;
  bool hasPower() const { return Power.has_value(); }
  const std::vector<MeasuredRun> &runs() const { return Runs; }

private:
  std::vector<MeasuredRun> Runs;
  Model Modelled;
  std::size_t First = 0; ///< of the highest clocks: its time moves the model's
  double FirstModelS = 0;
  /// Of the time that the model does not explain: what follows the memory's clock, not the core's.
  double MemShare = 0;
  std::optional<ClockRegression> Time, Power;

  double bestMemShare(const std::vector<double> &ModelS);
  double movedS(const Setting &S, double ModelS) const;
  Sides timeError(const Setting &S, double TimeS) const;
};

/// The setting of \p Settings whose measurement would tell most of the energies, or of the times
/// where there is no meter, at the others; nothing where a further run would tell little.
std::optional<Setting> nextToMeasure(const MeasuredModel &M, std::span<const Setting> Settings);

} // namespace ergon
