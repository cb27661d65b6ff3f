//===- EnergyFitTable.h - samples as the columns of a fit -------*- C++ -*-===//
//
// The input of fitEnergy(): a row for each sample, a column for each coefficient. Columns are
// scaled to a mean of 1, so that costs in them are watts.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/fit/EnergyFitOptions.h"
#include "model/fit/Samples.h"

#include <Eigen/Core>

#include <limits>
#include <utility>
#include <vector>

namespace ergon {

/// Results of a fit beside costs.
struct FitShape {
  double FlatToMhz = 0, RisePerMhz = 0; ///< V(f), where voltages were not measured
  double VoltsExponent = 2;
  double Saturation = 1; ///< the exponent a
  /// Constant power consists of running clocks: no P_misc, no leakage of the core.
  bool ClocksAlone = false;
};

class FitTable {
public:
  /// Every sample of \p S must have energy and time. Rows held out, or within 1 % of the power cap,
  /// are in the table but not fitted.
  FitTable(const Samples &S, const EnergyFitOptions &Options);

  /// Names of the columns, as in Machine::coefficients(); a group of classes has its first.
  std::vector<std::string> Names;
  Eigen::Index DynamicColumns = 0; ///< the first ones: prices of classes

  Eigen::VectorXd Watts; ///< measured, of each row
  std::vector<std::size_t> Workload, Family, Setting;
  /// Square roots of the rows' weights: all families weigh the same, and rows have a mean of 1. All
  /// are 1 where prices alone are fitted.
  Eigen::VectorXd RootWeights;
  std::vector<bool> IsFitted; ///< neither held out nor slowed by the power cap
  bool HasVolts = false;      ///< core voltages were measured and differ
  double CapW = std::numeric_limits<double>::infinity();
  bool PricesAlone = false; ///< EnergyFitOptions::PricesAlone
  /// P_ref of the law of saturation: half of what rows draw on average.
  double ReferenceW = 0;
  /// Published cost ratios of the dynamic columns, with the sum ReferenceW; 0 where none is
  /// published.
  Eigen::VectorXd Ratios;
  Correction Axes;        ///< without points; of the first classes, if there are many
  Eigen::MatrixXd Places; ///< of the rows, in the coordinates of Correction

  /// The columns of some rows.
  Eigen::MatrixXd columns(const std::vector<Eigen::Index> &Indexes, const FitShape &Rates) const;
  /// The lowest and the highest core clock of some rows.
  std::pair<double, double> clockRange(const std::vector<Eigen::Index> &Indexes) const;

  /// A machine with these prices and laws, its settings those of the rows.
  Machine machine(const Eigen::VectorXd &Prices, const FitShape &Shape) const;
  /// Classes with cost 0.
  std::vector<std::string> free(const Eigen::VectorXd &Prices) const;
  /// \p Relative, for the columns, for the coefficients of \p M.
  Covariance covariance(const Eigen::MatrixXd &Relative, const Machine &M) const;

private:
  struct Group {
    std::vector<std::size_t> Classes; ///< positions in Samples::Classes
    std::vector<double> Weights;      ///< price of each against the group's
    bool OnMemRail = false;
  };
  const Samples &Fitted;
  /// Clocks and voltages of each row; 0 and 1 where there is none.
  Eigen::VectorXd Mhz, MemMhz, CoreVolts, MemVolts;
  std::vector<Group> Groups;         ///< the dynamic columns
  std::vector<std::string> Constant; ///< the others: keys of a profile's constant power
  /// What the values of a column follow beside the rows of Base.
  enum class Follows { Nothing, CoreVolts, CoreVoltsSquared, MemVoltsSquared };
  std::vector<Follows> Voltages; ///< of each column
  /// The columns at 1 V: units a second, clocks; scaled. Row after row, as they are read so.
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> Base;
  Eigen::VectorXd Scales;
  bool HasMemVolts = false;

  double coreMhz(Eigen::Index Row) const;
  Eigen::VectorXd volts(const std::vector<Eigen::Index> &Rows, const FitShape &Shape) const;
  double rate(Eigen::Index Row, const Group &G) const;
  void addGroups(const std::vector<std::vector<std::string>> &Together);
  void addConstants();
  void addBase();
  void addPlaces();
  void addWeights();
};

} // namespace ergon
