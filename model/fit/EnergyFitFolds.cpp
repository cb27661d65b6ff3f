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
} // namespace

/// The change of the log watts of \p Rows with each cost: columns over watts measured, times
/// measured over formula.
static MatrixXd slopes(const FitPart &Rows, const Linearized &Of, const VectorXd &Residuals) {
  return Of.Columns.array().colwise() * (Residuals.array().exp() / Rows.Roots.array());
}

namespace {
/// Normal equations of costs around a fit to all rows, and the sensitivity of log watts to costs.
struct PriceEquations {
  Linearized Rows;
  MatrixXd Gram, Slopes;
  VectorXd Rhs, Residuals;

  PriceEquations(const FittedRows &FR, const FitShape &Shape, const VectorXd &Prices) {
    const FitPart All(FR.Table, FR.All, Shape);
    Rows = linearized(FR.Table, All, Shape.Saturation, Prices);
    Gram = Rows.Columns.transpose() * Rows.Columns;
    Rhs = Rows.Columns.transpose() * Rows.Target;
    Residuals = logResiduals(FR.Table, All, Shape.Saturation, Prices);
    Slopes = slopes(All, Rows, Residuals);
  }

  VectorXd without(const FitTable &Table, const FitRows &Places) const {
    const MatrixXd Left = Rows.Columns(Places, Eigen::all);
    const VectorXd Target = Rows.Target(Places);
    return pricesOf(Table, Gram - Left.transpose() * Left, Rhs - Left.transpose() * Target,
                    Rows.Target.size() - Places.size());
  }
};

/// The disagreement of settings at each shape of a search, without each of the folds, which are
/// whole workloads.
class FoldSpreads {
public:
  FoldSpreads(const FitTable &Table, const FitRows &All, const std::vector<FitRows> &Folds)
      : Table(Table), All(All), Folds(Folds) {
    for (FitRows &Fold : this->Folds)
      std::ranges::sort(Fold, {},
                        [&](Eigen::Index Row) { return std::pair(Table.Workload[Row], Row); });
    const auto Columns = Eigen::Index(Table.Names.size());
    Joined.resize(Eigen::Index(All.size()), Columns + 1);
  }

  double operator()(const FitShape &Shape, std::size_t Fold) {
    const Key K{Shape.FlatToMhz, Shape.RisePerMhz, Shape.VoltsExponent, Shape.ClocksAlone};
    auto Found = Known.find(K);
    if (Found == Known.end())
      Found = Known.emplace(K, spreads(Shape)).first;
    return Found->second[Fold];
  }

private:
  using Key = std::tuple<double, double, double, bool>;
  const FitTable &Table;
  const FitRows &All;
  std::vector<FitRows> Folds; ///< their rows workload by workload
  std::map<Key, std::vector<double>> Known;
  /// Of the present shape: residuals and their slopes side by side, fold after fold, each
  /// workload's mean taken off: all products of two are in one matrix.
  MatrixXd Joined;

  /// Adds the rows \p Rows, which are those of \p Joined from \p First on, to \p Of.
  void addRows(const FitShape &Shape, const VectorXd &Prices, const FitRows &Rows,
               Eigen::Index First, PriceSums &Of) {
    inParts(Rows, [&](Eigen::Index Begin, const FitRows &Next) {
      const FitPart Part(Table, Next, Shape);
      const Linearized L = linearized(Table, Part, Shape.Saturation, Prices);
      Of.add(L);
      const VectorXd Residuals = logResiduals(Table, Part, Shape.Saturation, Prices);
      auto Block = Joined.middleRows(First + Begin, Residuals.size());
      Block.col(0) = Residuals;
      Block.rightCols(Prices.size()) = slopes(Part, L, Residuals);
    });
  }

  /// Takes the mean of each workload off the rows of \p Joined from \p First on, which are \p Rows.
  void center(const FitRows &Rows, Eigen::Index First) {
    for (std::size_t Begin = 0, End = 0; Begin != Rows.size(); Begin = End) {
      while (End != Rows.size() && Table.Workload[Rows[End]] == Table.Workload[Rows[Begin]])
        ++End;
      auto Block = Joined.middleRows(First + Eigen::Index(Begin), Eigen::Index(End - Begin));
      Block.rowwise() -= Block.colwise().mean().eval();
    }
  }

  std::vector<double> spreads(const FitShape &Shape) {
    const VectorXd Prices = fitPrices(Table, All, Shape);
    const Eigen::Index Size = Prices.size();
    std::vector<PriceSums> OfFolds(Folds.size(), PriceSums(Table.Names.size()));
    PriceSums Whole(Table.Names.size());
    MatrixXd Squares = MatrixXd::Zero(Size + 1, Size + 1);
    Eigen::Index First = 0;
    for (std::size_t Fold = 0; Fold != Folds.size(); ++Fold) {
      const auto Count = Eigen::Index(Folds[Fold].size());
      addRows(Shape, Prices, Folds[Fold], First, OfFolds[Fold]);
      Whole.Gram += OfFolds[Fold].Gram;
      Whole.Rhs += OfFolds[Fold].Rhs;
      center(Folds[Fold], First);
      const auto Block = Joined.middleRows(First, Count);
      Squares.noalias() += Block.transpose() * Block;
      First += Count;
    }
    std::vector<double> Result;
    First = 0;
    for (std::size_t Fold = 0; Fold != Folds.size(); ++Fold) {
      const auto Count = Eigen::Index(Folds[Fold].size());
      const std::size_t Rest = All.size() - Folds[Fold].size();
      VectorXd Step(Size + 1);
      Step << 1, Prices - pricesOf(Table, Whole.Gram - OfFolds[Fold].Gram,
                                   Whole.Rhs - OfFolds[Fold].Rhs, Rest);
      const double Own = (Joined.middleRows(First, Count) * Step).squaredNorm(),
                   Sum = Step.dot(Squares * Step) - Own;
      Result.push_back(std::sqrt(std::max(Sum, 0.0) / double(Rest)));
      First += Count;
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
             bool AreWorkloads) {
  std::map<std::tuple<double, double, double, bool>, std::pair<FitShape, FitRows>> Result;
  std::optional<FoldSpreads> Spreads;
  if (AreWorkloads)
    Spreads.emplace(Rows.Table, Rows.All, Folds);
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
                      [&](const FitShape &Tried) { return (*Spreads)(Tried, Fold); });
      FS.Saturation = Whole.Shape.Saturation;
    }
    auto &[Shape, Members] =
        Result[{FS.FlatToMhz, FS.RisePerMhz, FS.VoltsExponent, FS.ClocksAlone}];
    Shape = FS;
    Members.push_back(Eigen::Index(Fold));
  }
  return Result;
}

std::vector<VectorXd> pricesWithoutEach(const FitTable &Table, const FitRows &All,
                                        const RowFit &Whole, const std::vector<FitRows> &Folds) {
  const FittedRows Rows(Table, All);
  const PriceEquations Equations(Rows, Whole.Shape, Whole.Prices);
  std::vector<VectorXd> Result;
  for (const FitRows &Fold : Folds)
    if (All.size() - Fold.size() >= Table.Names.size())
      Result.push_back(Equations.without(Table, Rows.positions(Fold)));
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
  for (const auto &[Key, Group] : foldsByShape(Rows, Whole, Folds, AreWorkloads)) {
    const auto &[Shape, Members] = Group;
    const VectorXd Prices = fitPrices(Table, All, Shape);
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
        Fit.FittedCorrection =
            fitCorrection(Table, Rest, logResiduals(Table, Rest, Shape, Fit.Prices));
      } else if (Corrections) {
        Fit.FittedCorrection = Corrections->without(Places[Fold], Fit.Prices - Prices);
      }
      Add(Folds[Fold], Fit);
    }
  }
}

} // namespace ergon
