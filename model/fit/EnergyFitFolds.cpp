//===- EnergyFitFolds.cpp - cross-validation of large tables --------------===//
//
// Normal equations of costs and of the correction, and the squares that rate a shape, are sums over
// rows: a fold's rows are subtracted.
//
//===----------------------------------------------------------------------===//

#include "model/fit/EnergyFitFolds.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace ergon {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {
/// The fitted rows, with each one's index among them.
struct FittedRows {
  const FitTable &Table;
  const FitRows &All;
  std::vector<Eigen::Index> Position;

  FittedRows(const FitTable &Table, const FitRows &All)
      : Table(Table), All(All), Position(Table.Watts.size(), -1) {
    for (std::size_t K = 0; K != All.size(); ++K)
      Position[All[K]] = Eigen::Index(K);
  }
  FitRows positions(const FitRows &Fold) const {
    FitRows Result;
    for (Eigen::Index Row : Fold)
      Result.push_back(Position[Row]);
    return Result;
  }
  FitRows without(const FitRows &Fold) const {
    FitRows Result;
    std::ranges::set_difference(All, Fold, std::back_inserter(Result));
    return Result;
  }
};

/// Normal equations of costs around a fit to all rows, and the sensitivity of log watts to costs.
struct PriceEquations {
  Linearized Rows;
  MatrixXd Gram, Slopes;
  VectorXd Rhs, Residuals;

  PriceEquations(const FittedRows &FR, const FitShape &Shape, const VectorXd &Prices) {
    const MatrixXd Columns = FR.Table.columns(FR.All, Shape);
    Rows = linearized(FR.Table, FR.All, Shape, Columns, Prices);
    Gram = Rows.Columns.transpose() * Rows.Columns;
    Rhs = Rows.Columns.transpose() * Rows.Target;
    // d ln(watts) = columns over watts measured, times measured over formula.
    Residuals = logResiduals(FR.Table, FR.All, Shape, Columns, Prices);
    Slopes = Rows.Columns.array().colwise() *
             (Residuals.array().exp() / FR.Table.RootWeights(FR.All).array());
  }

  VectorXd without(const FitTable &Table, const FitRows &Places) const {
    const MatrixXd Left = Rows.Columns(Places, Eigen::all);
    const VectorXd Target = Rows.Target(Places);
    return pricesOf(Table, Gram - Left.transpose() * Left, Rhs - Left.transpose() * Target,
                    Rows.Target.size() - Places.size());
  }
};

/// The disagreement of settings at each shape of a search, without each of the folds.
class FoldSpreads {
public:
  FoldSpreads(const FittedRows &Rows, const std::vector<FitRows> &Places)
      : Fitted(Rows), Places(Places) {}

  double operator()(const FitShape &Shape, std::size_t Fold) {
    const Key K{Shape.FlatToMhz, Shape.RisePerMhz, Shape.VoltsExponent, Shape.ClocksAlone};
    auto Found = Known.find(K);
    if (Found == Known.end())
      Found = Known.emplace(K, spreads(Shape)).first;
    return Found->second[Fold];
  }

private:
  using Key = std::tuple<double, double, double, bool>;
  const FittedRows &Fitted;
  const std::vector<FitRows> &Places;
  std::map<Key, std::vector<double>> Known;

  /// Takes each workload's mean off the rows of \p Values.
  void center(MatrixXd &Values) const {
    const std::vector<std::size_t> &Workload = Fitted.Table.Workload;
    const std::size_t Count = std::ranges::max(Workload) + 1;
    MatrixXd Sums = MatrixXd::Zero(Eigen::Index(Count), Values.cols());
    VectorXd Rows = VectorXd::Zero(Eigen::Index(Count));
    for (std::size_t K = 0; K != Fitted.All.size(); ++K) {
      Sums.row(Workload[Fitted.All[K]]) += Values.row(K);
      Rows[Workload[Fitted.All[K]]] += 1;
    }
    for (std::size_t K = 0; K != Fitted.All.size(); ++K)
      Values.row(K) -= Sums.row(Workload[Fitted.All[K]]) / Rows[Workload[Fitted.All[K]]];
  }

  std::vector<double> spreads(const FitShape &Shape) const {
    const VectorXd Prices =
        fitPrices(Fitted.Table, Fitted.All, Shape, Fitted.Table.columns(Fitted.All, Shape));
    const PriceEquations Equations(Fitted, Shape, Prices);
    // Residuals and their slopes side by side: all products of two are in one matrix.
    MatrixXd Joined(Equations.Slopes.rows(), Equations.Slopes.cols() + 1);
    Joined << Equations.Residuals, Equations.Slopes;
    center(Joined);
    const MatrixXd Squares = Joined.transpose() * Joined;
    std::vector<double> Result;
    for (const FitRows &Fold : Places) {
      VectorXd Step(Joined.cols());
      Step << 1, Prices - Equations.without(Fitted.Table, Fold);
      const MatrixXd Left = Joined(Fold, Eigen::all);
      const double Sum = Step.dot((Squares - Left.transpose() * Left) * Step);
      Result.push_back(std::sqrt(std::max(Sum, 0.0) / double(Fitted.All.size() - Fold.size())));
    }
    return Result;
  }
};

/// The correction at fixed points, without each of the folds.
class FoldCorrections {
public:
  FoldCorrections(const FittedRows &Rows, const Correction &Whole) : Whole(Whole) {
    const Eigen::Index Points = Eigen::Index(Whole.Weights.size());
    const MatrixXd Places =
        Eigen::Map<const MatrixXd>(Whole.Points.data(), Points, Rows.Table.Places.cols());
    Across = correctionKernel(Rows.Table.Places(Rows.All, Eigen::all), Places);
    AmongPoints = correctionKernel(Places, Places);
    Normal = Across.transpose() * Across;
  }

  /// For the residuals of other equations.
  void take(const PriceEquations &Next) {
    Equations = &Next;
    AcrossSlopes = Across.transpose() * Next.Slopes;
    AcrossResiduals = Across.transpose() * Next.Residuals;
  }

  Correction without(const FitRows &Places, const VectorXd &PriceChange) const {
    const MatrixXd Left = Across(Places, Eigen::all),
                   Slopes = Equations->Slopes(Places, Eigen::all);
    const VectorXd Residuals = Equations->Residuals(Places);
    const VectorXd Weights =
        correctionWeights(Normal - Left.transpose() * Left, AmongPoints,
                          AcrossResiduals - AcrossSlopes * PriceChange -
                              Left.transpose() * (Residuals - Slopes * PriceChange));
    Correction Result = Whole;
    Result.Weights.assign(Weights.begin(), Weights.end());
    return Result;
  }

private:
  const Correction &Whole;
  const PriceEquations *Equations = nullptr;
  MatrixXd Across, Normal, AmongPoints, AcrossSlopes;
  VectorXd AcrossResiduals;
};
} // namespace

/// Folds by the best shape without them.
static std::map<std::tuple<double, double, double, bool>, std::pair<FitShape, FitRows>>
foldsByShape(const FittedRows &Rows, const RowFit &Whole, const std::vector<FitRows> &Folds,
             const std::vector<FitRows> &Places, bool AreWorkloads) {
  std::map<std::tuple<double, double, double, bool>, std::pair<FitShape, FitRows>> Result;
  FoldSpreads Spreads(Rows, Places);
  const auto Range = Rows.Table.clockRange(Rows.All);
  for (std::size_t Fold = 0; Fold != Folds.size(); ++Fold) {
    FitShape FS = Whole.Shape;
    if (AreWorkloads) {
      // The range differs only where the fold has a row at one of its ends.
      const auto Own = Rows.Table.clockRange(Folds[Fold]);
      const bool AtEnd = Own.first == Range.first || Own.second == Range.second;
      const bool SameEverywhere = Folds[Fold].size() * Folds.size() == Rows.All.size();
      FS = fitVoltage(Rows.Table,
                      AtEnd && !SameEverywhere ? Rows.Table.clockRange(Rows.without(Folds[Fold]))
                                               : Range,
                      [&](const FitShape &Tried) { return Spreads(Tried, Fold); });
      FS.Saturation = Whole.Shape.Saturation;
    }
    auto &[Shape, Members] =
        Result[{FS.FlatToMhz, FS.RisePerMhz, FS.VoltsExponent, FS.ClocksAlone}];
    Shape = FS;
    Members.push_back(Eigen::Index(Fold));
  }
  return Result;
}

void fitWithoutEach(const FitTable &Table, const FitRows &All, const RowFit &Whole,
                    const std::vector<FitRows> &Folds, bool AreWorkloads,
                    const std::function<void(const FitRows &, const RowFit &)> &Add) {
  // Choosing points again costs as much as a fit for each fold that contains one.
  static constexpr std::size_t MaxRowsOfPoints = 20'000;
  const FittedRows Rows(Table, All);
  std::vector<FitRows> Places;
  for (const FitRows &Fold : Folds)
    Places.push_back(Rows.positions(Fold));
  std::vector<bool> IsPoint(All.size());
  std::optional<FoldCorrections> Corrections;
  if (Whole.FittedCorrection) {
    Corrections.emplace(Rows, *Whole.FittedCorrection);
    if (All.size() <= MaxRowsOfPoints)
      for (Eigen::Index Point : correctionPoints(Table.Places(All, Eigen::all)))
        IsPoint[Point] = true;
  }
  for (const auto &[Key, Group] : foldsByShape(Rows, Whole, Folds, Places, AreWorkloads)) {
    const auto &[Shape, Members] = Group;
    const VectorXd Prices = fitPrices(Table, All, Shape, Table.columns(All, Shape));
    const PriceEquations Equations(Rows, Shape, Prices);
    if (Corrections)
      Corrections->take(Equations);
    for (Eigen::Index Fold : Members) {
      if (All.size() - Places[Fold].size() < Table.Names.size())
        continue;
      RowFit Fit{Shape, Equations.without(Table, Places[Fold]), {}};
      if (Corrections &&
          std::ranges::any_of(Places[Fold], [&](Eigen::Index Row) { return IsPoint[Row]; })) {
        const FitRows Rest = Rows.without(Folds[Fold]);
        Fit.FittedCorrection = fitCorrection(
            Table, Rest, logResiduals(Table, Rest, Shape, Table.columns(Rest, Shape), Fit.Prices));
      } else if (Corrections) {
        Fit.FittedCorrection = Corrections->without(Places[Fold], Fit.Prices - Prices);
      }
      Add(Folds[Fold], Fit);
    }
  }
}

} // namespace ergon
