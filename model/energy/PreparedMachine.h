//===- PreparedMachine.h - a machine's costs and their errors ---*- C++ -*-===//
//
// A profile prepared for a list of classes at some of its settings: costs as arrays, and their
// sensitivity to each coefficient. This gives the errors of time and energy: stated errors of
// coefficients, propagated to first order, and what the fit leaves unexplained.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/energy/MeasuredModel.h"
#include "model/energy/Roofline.h"

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ergon {

/// A piece of work in one roofline: the counts of all launches of a kernel, or of a function
/// without kernels. Arrays over the classes of a PreparedMachine.
struct Piece {
  std::string Name;               ///< empty: the whole run
  std::optional<double> Launches; ///< of a kernel
  std::vector<double> Amounts;
  /// Bounds of all counts.
  std::vector<double> Least, Most;
  /// Whether counts have intervals; otherwise Most is Amounts, and so is Least except for bytes
  /// that caches may keep.
  bool HasIntervals = false;
};

/// Which of a piece's counts are meant: the central ones, or an end of their bounds.
inline constexpr std::array<std::vector<double> Piece::*, 3> CountsOfPiece = {
    &Piece::Amounts, &Piece::Least, &Piece::Most};

/// Exponents of energy and time in a figure: (1, 0) is energy, (0, 1) time, (1, -1)
/// power, (1, 1) the energy-delay product.
struct Figure {
  int Energy, Time;
};
/// The end of an interval.
enum class End { Low, High };
/// E^a·T^b.
double figureOf(double EnergyJ, double TimeS, Figure F);

/// Sensitivity of time and energy to the coefficients: d ln T/d ln c and d ln E/d ln c for each of
/// PreparedMachine::Coefficients.
struct Response {
  std::size_t Setting = 0; ///< at which
  std::vector<double> Time, Energy;
  double ConstantShare = 0; ///< π0·T/E = d ln E/d ln T
  double TimeS = 0;         ///< by the model
};

/// See the file's head.
class PreparedMachine {
public:
  /// Prepares \p M for each setting of \p AtSettings and each class; counts are then given in the
  /// order of \p OfClasses. Copies \p M.
  PreparedMachine(const Machine &M, std::vector<Setting> AtSettings,
                  std::vector<std::string> OfClasses);

  std::vector<Setting> Settings;
  std::vector<std::string> Classes;
  std::vector<SettingCosts> Costs; ///< at each of Settings
  /// The same without a fit's correction, which is many times as expensive: for sensitivities,
  /// where the correction is assumed constant.
  std::vector<SettingCosts> Formula;

  /// A coefficient that the cost of some class depends on.
  struct Coefficient {
    std::string Name;
    /// Its error is stated, or is part of the fit's prediction error.
    bool IsStated = false;
    std::vector<SettingCosts> Raised; ///< as Formula, with the coefficient larger by Step
    bool IsEstimated = false;         ///< its source is of that kind
  };
  std::vector<Coefficient> Coefficients;

  /// Corrects all costs by \p Runs, at least one, of the work \p Pieces. False, and nothing is
  /// corrected, where the profile has no time of it at all.
  [[nodiscard]] bool know(std::vector<MeasuredRun> Runs, std::span<const Piece> Pieces);
  /// What is known of measured runs; nothing before know().
  const std::optional<MeasuredModel> &known() const { return Known; }
  /// What programs need in the mean where choices ask for it; null otherwise.
  const TypicalEnergy *typical() const {
    return modelWeight() < 1 ? &*Own->Fit.Quality->Typical : nullptr;
  }
  /// The model's weight beside that, with the runs that are known: 1 where choices are its own.
  double modelWeight() const {
    return Own->Fit.Quality ? Own->Fit.Quality->modelWeight(Known ? Known->knownSettings() : 0) : 1;
  }
  /// What the model alone says of the work that know() was called with.
  ModelledRun modelled(const Setting &Clocks) const { return Modelled(Clocks); }
  /// Time and energy of counts at a setting, corrected by measured runs: by what these say where
  /// the work has its counts \p Bound, by their position in CountsOfPiece.
  PlainCost cost(std::size_t Setting, std::span<const double> Amounts, std::size_t Bound = 0) const;

  /// For \p Pieces in sequence at a setting.
  Response response(std::size_t Setting, std::span<const Piece> Pieces) const;

  /// One relative standard deviation of a figure: of its value, toward an end of its interval, and
  /// of the ratio between two settings, where common errors cancel.
  double error(const Response &R, Figure F, End Which = End::High) const;
  double errorOfRatio(const Response &Left, const Response &Right, Figure F) const;
  /// The same of the energy in a time that is known.
  double errorInTime(const Response &R) const;
  /// What of it the errors of prices and constant power make, whatever programs were off by.
  double priceErrorInTime(const Response &R) const;
  /// Whether any of these can be above 0.
  bool statesErrors() const;
  /// Coefficients that the figure depends on without a stated error.
  std::vector<std::string> notStated(const Response &R, Figure F) const;
  /// Coefficients of kind `estimated` that the figure depends on.
  std::vector<std::string> estimated(const Response &R, Figure F) const;

private:
  std::shared_ptr<const Machine> Own; ///< what the costs refer to
  /// A relative step small enough for first order, large enough for a double.
  static constexpr double Step = 1e-6;
  /// Relative covariances of Coefficients; 0 where unknown.
  std::vector<std::vector<double>> Covariances;
  ChangeErrors Change;
  double EnergyError = 0, TimeError = 0, TimeErrorBelow = 0, EnergyChoiceError = 0,
         TimeChoiceError = 0;
  /// What measured runs make of times at a setting, and of energies in these times.
  struct Corrected {
    double Time = 1, Energy = 1;
  };
  std::optional<MeasuredModel> Known;
  /// For each of CountsOfPiece, at each of Settings.
  std::array<std::vector<Corrected>, CountsOfPiece.size()> Corrects;
  MeasuredModel::Model Modelled;

  double modelError(const Response &R, Figure F, End Which = End::High) const;
  double modelErrorOfRatio(const Response &Left, const Response &Right, Figure F) const;

  void addCoefficients(Machine Uncorrected);
  void addCovariances();
  double variance(const std::vector<double> &Gradient) const;
};

} // namespace ergon
