//===- EnergyFitFolds.h - cross-validation of a fit -------------*- C++ -*-===//
//
// The parts of the energy fit that cross-validation uses, and the cross-validation of large tables:
// refitting all rows for each fold would take (rows times folds) steps; instead a fold's rows are
// subtracted from the sums over all rows.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/fit/PriceFit.h"

#include <functional>
#include <utility>
#include <vector>

namespace ergon {

/// A fit to some rows of a table.
struct RowFit {
  FitShape Shape;
  Eigen::VectorXd Prices; ///< of the table's columns, in watts of a column of mean 1
  std::optional<Correction> FittedCorrection;
};

/// The correction's kernel between points, one per row of each matrix, and its noise.
Eigen::MatrixXd correctionKernel(const Eigen::MatrixXd &Left, const Eigen::MatrixXd &Right);
/// Weights by the normal equations of residuals, without the noise term.
Eigen::VectorXd correctionWeights(Eigen::MatrixXd Normal, const Eigen::MatrixXd &AmongPoints,
                                  const Eigen::VectorXd &Rhs);

/// Representative points of all \p Places: the pivots of an incomplete Cholesky factor of the
/// kernel matrix (Fine & Scheinberg 2001).
FitRows correctionPoints(const Eigen::MatrixXd &Places);
/// Kriging of the residuals with a few points (subset of regressors: Rasmussen & Williams,
/// "Gaussian Processes for Machine Learning", 2006, section 8.3.1).
Correction fitCorrection(const FitTable &Table, const FitRows &Rows,
                         const Eigen::VectorXd &Residuals);

/// The disagreement between settings of one workload at a shape.
using ShapeSpread = std::function<double(const FitShape &)>;
/// The shape with the best agreement, among those that the search tries.
FitShape fitVoltage(const FitTable &Table, std::pair<double, double> ClockRange,
                    const ShapeSpread &Spread);

/// The costs of the rows \p All without each of \p Folds, at the shape of \p Whole: exact where the
/// formula is linear in them, otherwise one Gauss-Newton step from those of all rows.
std::vector<Eigen::VectorXd> pricesWithoutEach(const FitTable &Table, const FitRows &All,
                                               const RowFit &Whole,
                                               const std::vector<FitRows> &Folds);

/// Calls \p Add for each of \p Folds with a fit to the rows \p All without it, in time proportional
/// to rows plus folds, not their product; \p Whole is the fit to all and provides the exponent of
/// saturation. Costs are those of the other rows: exact where the formula is linear in them,
/// otherwise one Gauss-Newton step from those of all rows. Residuals follow costs linearly. The
/// voltage law is searched for each fold where \p AreWorkloads says that folds are whole workloads,
/// otherwise it is that of \p Whole. The correction's points are those of the other rows; in tables
/// of tens of thousands of rows they are those of all.
void fitWithoutEach(const FitTable &Table, const FitRows &All, const RowFit &Whole,
                    const std::vector<FitRows> &Folds, bool AreWorkloads,
                    const std::function<void(const FitRows &, const RowFit &)> &Add);

} // namespace ergon
