//===- EnergyFit.cpp - what energy costs, from measured runs --------------===//

#include "model/EnergyFit.h"
#include "model/EnergyFitTable.h"
#include "model/FitErrors.h"
#include "model/Jackknife.h"
#include "model/NonNegative.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace ergon {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rows = std::vector<Eigen::Index>;

namespace {
struct Found {
  FitShape By;
  VectorXd Prices; ///< of the table's columns, in watts of a column of mean 1
  std::optional<Correction> Corrects;
};
} // namespace

//===----------------------------------------------------------------------===//
// The formula
//===----------------------------------------------------------------------===//

/// How much a published ratio of prices counts, against one row of samples for each row.
static constexpr double PriorWeight = 0.1;

/// Equations that hold prices near published ratios: price_k/ratio_k = s for a common s,
/// the last unknown. Where samples tell classes apart badly, this does (0011-fits.md).
static MatrixXd priorRows(const VectorXd &Ratios, std::size_t SampleRows) {
  const Eigen::Index Unknowns = Ratios.size() + 1;
  std::vector<Eigen::Index> Known;
  for (Eigen::Index K = 0; K != Ratios.size(); ++K)
    if (Ratios[K] > 0)
      Known.push_back(K);
  if (Known.size() < 2)
    return MatrixXd(0, Unknowns);
  MatrixXd Result = MatrixXd::Zero(Known.size(), Unknowns);
  const double Weight = std::sqrt(PriorWeight * SampleRows);
  for (std::size_t Row = 0; Row != Known.size(); ++Row) {
    Result(Row, Known[Row]) = Weight / Ratios[Known[Row]];
    Result(Row, Unknowns - 1) = -Weight;
  }
  return Result;
}

/// Prices of \p Columns, each row's watts over measured watts, by what they add up to.
static VectorXd fitLinear(const MatrixXd &Relative, const VectorXd &Target, const MatrixXd &Prior) {
  const Eigen::Index Size = Relative.cols();
  MatrixXd Gram = Prior.transpose() * Prior;
  Gram.topLeftCorner(Size, Size) += Relative.transpose() * Relative;
  VectorXd Rhs = VectorXd::Zero(Size + 1);
  Rhs.head(Size) = Relative.transpose() * Target;
  if (Prior.rows() == 0) {
    Gram.conservativeResize(Size, Size);
    Rhs.conservativeResize(Size);
  }
  return nonNegativeLeastSquares(Gram, Rhs).head(Size);
}

/// Watts by the formula, a row each.
static VectorXd formulaWatts(const FitTable &Of, const MatrixXd &Columns, const VectorXd &Prices,
                             double Exponent) {
  const Eigen::Index Dynamic = Of.DynamicColumns;
  VectorXd Sum = Columns.leftCols(Dynamic) * Prices.head(Dynamic);
  if (Exponent < 1)
    Sum = Of.ReferenceW * (Sum / Of.ReferenceW).array().max(0).pow(Exponent).matrix();
  return Sum + Columns.rightCols(Columns.cols() - Dynamic) * Prices.tail(Columns.cols() - Dynamic);
}

/// Prices for rows \p Of the table, whose columns at a shape are \p Columns, by Gauss-Newton steps
/// where it is not linear.
static VectorXd fitPrices(const FitTable &Table, const Rows &Of, const FitShape &By,
                          const MatrixXd &Columns) {
  const VectorXd Watts = Table.Watts(Of);
  const MatrixXd Prior = priorRows(Table.Ratios, Of.size());
  const MatrixXd Relative = Columns.array().colwise() / Watts.array();
  VectorXd Prices = fitLinear(Relative, VectorXd::Ones(Of.size()), Prior);
  if (By.Saturation == 1)
    return Prices;
  const Eigen::Index Dynamic = Table.DynamicColumns;
  constexpr int Steps = 12;
  for (int Step = 0; Step != Steps; ++Step) {
    // P_ref^(1-a)·D^a by its tangent at the present D.
    const Eigen::ArrayXd Sum =
        (Columns.leftCols(Dynamic) * Prices.head(Dynamic)).array().max(1e-3 * Table.ReferenceW);
    const Eigen::ArrayXd Slope = By.Saturation * (Table.ReferenceW / Sum).pow(1 - By.Saturation);
    const Eigen::ArrayXd Rest = Sum * Slope * (1 / By.Saturation - 1);
    MatrixXd Tangent = Relative;
    Tangent.leftCols(Dynamic).array().colwise() *= Slope;
    const VectorXd Next = fitLinear(Tangent, (1 - Rest / Watts.array()).matrix(), Prior);
    Prices = Step < 2 ? Next : VectorXd(0.5 * (Prices + Next));
  }
  return Prices;
}

/// ln(measured/formula) of \p Of.
static VectorXd logResiduals(const FitTable &Table, const Rows &Of, const FitShape &By,
                             const MatrixXd &Columns, const VectorXd &Prices) {
  const VectorXd Watts = formulaWatts(Table, Columns, Prices, By.Saturation);
  return (Table.Watts(Of).array() / Watts.array().max(1e-9)).log().matrix();
}

/// The root mean square of what is left of \p Residuals once each workload's mean is off:
/// what the settings of one workload disagree by.
static double withinWorkloads(const FitTable &Table, const Rows &Of, const VectorXd &Residuals) {
  std::map<std::size_t, std::pair<double, int>> Sums;
  for (std::size_t K = 0; K != Of.size(); ++K) {
    auto &[Sum, Count] = Sums[Table.Workload[Of[K]]];
    Sum += Residuals[K];
    ++Count;
  }
  double Squares = 0;
  for (std::size_t K = 0; K != Of.size(); ++K) {
    const auto &[Sum, Count] = Sums[Table.Workload[Of[K]]];
    Squares += std::pow(Residuals[K] - Sum / Count, 2);
  }
  return std::sqrt(Squares / Of.size());
}

/// A law has to make settings agree this much better to be taken.
static constexpr double Gain = 0.98;

/// How much worse settings may agree without constant power that nothing else asks for.
static constexpr double ClocksAloneLoss = 0.8;

namespace {
/// The shape at which the settings of each workload agree best, of those tried.
struct ShapeSearch {
  const FitTable &Table;
  const Rows &Of;
  FitShape Best{};
  double Least = spread(Best);

  double spread(const FitShape &By) const {
    const MatrixXd Columns = Table.columns(Of, By);
    const VectorXd Prices = fitPrices(Table, Of, By, Columns);
    return withinWorkloads(Table, Of, logResiduals(Table, Of, By, Columns, Prices));
  }
  /// Whether it is better than all before.
  bool take(const FitShape &By) {
    const double Now = spread(By);
    if (Now >= Least)
      return false;
    Least = Now;
    Best = By;
    return true;
  }
};
} // namespace

/// The exponent of measured voltages. An exponent and constant power explain the same where
/// voltages are few: the clocks' power alone is taken if it does nearly as well.
static FitShape fitExponent(const FitTable &Table, const Rows &Of) {
  ShapeSearch WithConstants{Table, Of}, ClocksAlone{Table, Of};
  ClocksAlone.Least = std::numeric_limits<double>::infinity();
  for (double Exponent = 1.5; Exponent < 2.51; Exponent += 0.05) {
    WithConstants.take({.VoltsExponent = Exponent});
    ClocksAlone.take({.VoltsExponent = Exponent, .ClocksAlone = true});
  }
  return ClocksAloneLoss * ClocksAlone.Least < WithConstants.Least ? ClocksAlone.Best
                                                                   : WithConstants.Best;
}

/// V(f) by its transition, as a share of the range of clocks, and the rise at the highest:
/// a coarse grid, then around the best of it ever closer.
static FitShape fitLaw(const FitTable &Table, const Rows &Of) {
  const auto [Low, High] = Table.clockRange(Of);
  if (High == Low)
    return {};
  ShapeSearch Search{Table, Of};
  const double Plain = Search.Least;
  double Knee = 0, Rise = 0;
  auto Try = [&](double KneeHere, double RiseHere) {
    const double Flat = Low + (High - Low) * std::clamp(KneeHere, 0.0, 0.95);
    if (Search.take({.FlatToMhz = Flat, .RisePerMhz = std::max(RiseHere, 0.0) / (High - Flat)})) {
      Knee = KneeHere;
      Rise = RiseHere;
    }
  };
  for (double KneeHere : {0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9})
    for (double RiseHere : {0.05, 0.15, 0.25, 0.35, 0.5})
      Try(KneeHere, RiseHere);
  double KneeStep = 0.075, RiseStep = 0.05;
  for (int Round = 0; Rise > 0 && Round != 4; ++Round, KneeStep /= 2, RiseStep /= 2)
    for (const auto &[KneeBy, RiseBy] :
         {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {1, 1}, {-1, 1}, {1, -1}})
      Try(Knee + KneeBy * KneeStep, Rise + RiseBy * RiseStep);
  return Search.Least < Gain * Plain ? Search.Best : FitShape();
}

static FitShape fitVoltage(const FitTable &Table, const Rows &Of) {
  return Table.HasVolts ? fitExponent(Table, Of) : fitLaw(Table, Of);
}

//===----------------------------------------------------------------------===//
// The correction
//===----------------------------------------------------------------------===//

/// Length and noise of the correction, in the coordinates of Correction.
static constexpr double CorrectionLength = 0.2, CorrectionNoise = 3;
static constexpr int CorrectionPoints = 96;

/// Points that stand for all others: the pivots of an incomplete Cholesky factor of the
/// kernel matrix (Fine & Scheinberg 2001).
static Rows pivots(const MatrixXd &Places) {
  const Eigen::Index Count = Places.rows();
  VectorXd Left = VectorXd::Ones(Count);
  MatrixXd Factor(Count, CorrectionPoints);
  Rows Result;
  for (int K = 0; K != std::min<Eigen::Index>(CorrectionPoints, Count); ++K) {
    Eigen::Index Next;
    if (Left.maxCoeff(&Next) < 1e-4)
      break;
    Result.push_back(Next);
    const VectorXd Squares = (Places.rowwise() - Places.row(Next)).rowwise().squaredNorm();
    VectorXd Column = (Squares.array() * (-0.5 / (CorrectionLength * CorrectionLength))).exp();
    Column -= Factor.leftCols(K) * Factor.row(Next).head(K).transpose();
    Factor.col(K) = Column / std::sqrt(Left[Next]);
    Left = (Left - Factor.col(K).cwiseAbs2()).cwiseMax(0);
  }
  return Result;
}

static MatrixXd kernel(const MatrixXd &Left, const MatrixXd &Right) {
  MatrixXd Result(Left.rows(), Right.rows());
  for (Eigen::Index K = 0; K != Right.rows(); ++K)
    Result.col(K) = ((Left.rowwise() - Right.row(K)).rowwise().squaredNorm().array() *
                     (-0.5 / (CorrectionLength * CorrectionLength)))
                        .exp()
                        .matrix();
  return Result;
}

/// Kriging of the residuals with a few points (subset of regressors: Rasmussen & Williams,
/// "Gaussian Processes for Machine Learning", 2006, section 8.3.1).
static Correction fitCorrection(const FitTable &Table, const Rows &Of, const VectorXd &Residuals) {
  const MatrixXd Places = Table.Places(Of, Eigen::all);
  const Rows Chosen = pivots(Places);
  const MatrixXd Points = Places(Chosen, Eigen::all);
  const MatrixXd Across = kernel(Places, Points);
  MatrixXd Normal = Across.transpose() * Across + CorrectionNoise * kernel(Points, Points);
  Normal.diagonal().array() += 1e-8;
  const VectorXd Weights = Normal.ldlt().solve(Across.transpose() * Residuals);
  Correction Result = Table.Axes;
  Result.Length = CorrectionLength;
  Result.Points.assign(Points.data(), Points.data() + Points.size()); // column by column
  Result.Weights.assign(Weights.begin(), Weights.end());
  return Result;
}

//===----------------------------------------------------------------------===//
// The whole, and how well it predicts
//===----------------------------------------------------------------------===//

static Found fitRows(const FitTable &Table, const Rows &Of, double Saturation) {
  Found Result;
  Result.By = fitVoltage(Table, Of);
  Result.By.Saturation = Saturation;
  const MatrixXd Columns = Table.columns(Of, Result.By);
  Result.Prices = fitPrices(Table, Of, Result.By, Columns);
  if (!Table.PricesAlone)
    Result.Corrects =
        fitCorrection(Table, Of, logResiduals(Table, Of, Result.By, Columns, Result.Prices));
  return Result;
}

/// Predicted/measured - 1 of \p Of into their places.
static void predict(const FitTable &Table, const Found &By, const Rows &Of, RowErrors &Into) {
  const VectorXd Residuals = logResiduals(Table, Of, By.By, Table.columns(Of, By.By), By.Prices);
  for (std::size_t K = 0; K != Of.size(); ++K) {
    const Eigen::Index Row = Of[K];
    const VectorXd Place = Table.Places.row(Row);
    const double Factor =
        By.Corrects ? By.Corrects->logFactor({Place.data(), std::size_t(Place.size())}) : 0;
    auto Error = [&](double LogFactor) {
      const double Watts = Table.Watts[Row] * std::exp(LogFactor - Residuals[K]);
      return std::min(Watts, Table.CapW) / Table.Watts[Row] - 1;
    };
    Into.Formula[Row] = Error(0);
    Into.Full[Row] = Error(Factor);
  }
}

/// Rows of \p All by the fold that leaves them out: groups in turn, or as many folds as asked.
static std::vector<Rows> folds(const Rows &All, const std::vector<std::size_t> &Group,
                               std::size_t Count) {
  std::set<std::size_t> Groups;
  for (Eigen::Index Row : All)
    Groups.insert(Group[Row]);
  if (Count == 0 || Count > Groups.size())
    Count = Groups.size();
  std::map<std::size_t, std::size_t> FoldOf;
  for (std::size_t Each : Groups)
    FoldOf.emplace(Each, FoldOf.size() % Count);
  std::vector<Rows> Result(Count);
  for (Eigen::Index Row : All)
    Result[FoldOf.at(Group[Row])].push_back(Row);
  return Result;
}

static Rows without(const Rows &All, const Rows &Left) {
  Rows Result;
  std::ranges::set_difference(All, Left, std::back_inserter(Result));
  return Result;
}

/// Saturation costs the plain meaning of prices: it has to predict this much better, and of
/// exponents that are within this much of the best the plainest is taken.
static constexpr double SaturationGain = 0.95, SaturationTie = 1.02;

/// The exponent of saturation by which workloads that are left out are predicted best.
static double chooseSaturation(const FitTable &Table, const Rows &All) {
  constexpr double Exponents[] = {1, 0.8, 0.7, 0.6, 0.5, 0.4};
  const std::vector<Rows> Folds = folds(All, Table.Workload, 10);
  if (Folds.size() < 3)
    return 1;
  FitShape By = fitVoltage(Table, All);
  std::vector<double> Errors;
  for (double Exponent : Exponents) {
    By.Saturation = Exponent;
    double &Sum = Errors.emplace_back(0);
    for (const Rows &Fold : Folds) {
      const Rows Rest = without(All, Fold);
      const VectorXd Prices = fitPrices(Table, Rest, By, Table.columns(Rest, By));
      Sum += logResiduals(Table, Fold, By, Table.columns(Fold, By), Prices).cwiseAbs().sum();
    }
  }
  const double Least = std::ranges::min(Errors);
  if (Least > SaturationGain * Errors.front())
    return 1;
  auto Plainest =
      std::ranges::find_if(Errors, [&](double Each) { return Each <= SaturationTie * Least; });
  return Exponents[Plainest - Errors.begin()];
}

/// The jackknife's covariances of relative errors, from fits that each left a fold out.
static MatrixXd relativeErrors(const std::vector<VectorXd> &Prices) {
  MatrixXd Values(Prices.size(), Prices.front().size());
  for (std::size_t Fit = 0; Fit != Prices.size(); ++Fit)
    Values.row(Fit) = Prices[Fit];
  const Eigen::ArrayXd Mean = Values.colwise().mean();
  Values.array().rowwise() /= (Mean > 0).select(Mean, 1).transpose();
  return jackknife(Values);
}

std::expected<EnergyFit, std::string> fitEnergy(const Samples &Of,
                                                const EnergyFitOptions &Options) {
  const FitTable Table(Of, Options);
  Rows All;
  for (Eigen::Index Row = 0; Row != Table.Watts.size(); ++Row)
    if (Table.IsFitted[Row])
      All.push_back(Row);
  const std::size_t Unknowns = Table.Names.size();
  if (All.size() < Unknowns)
    return std::unexpected(std::to_string(All.size()) + " rows cannot tell " +
                           std::to_string(Unknowns) + " coefficients apart");
  EnergyFit Result;
  Result.IsFitted = Table.IsFitted;
  const double Saturation = Options.PricesAlone ? 1 : chooseSaturation(Table, All);
  const Found Whole = fitRows(Table, All, Saturation);
  for (RowErrors *Each : {&Result.InSample, &Result.BySetting, &Result.ByWorkload}) {
    Each->Full.assign(Of.Rows.size(), std::nan(""));
    Each->Formula = Each->Full;
  }
  Rows Every(Of.Rows.size());
  std::iota(Every.begin(), Every.end(), 0);
  predict(Table, Whole, Every, Result.InSample);
  auto Validate = [&](const std::vector<std::size_t> &Group, RowErrors &Into) {
    std::vector<VectorXd> Prices;
    const std::vector<Rows> Folds = folds(All, Group, Options.Folds);
    if (Folds.size() < 2)
      return Prices;
    for (const Rows &Fold : Folds) {
      const Rows Rest = without(All, Fold);
      if (Rest.size() < Unknowns)
        continue;
      const Found Each = fitRows(Table, Rest, Saturation);
      predict(Table, Each, Fold, Into);
      Prices.push_back(Each.Prices);
    }
    return Prices;
  };
  Validate(Table.Setting, Result.BySetting);
  const std::vector<VectorXd> Prices = Validate(Table.Workload, Result.ByWorkload);
  Result.Fitted = Table.machine(Whole.Prices, Whole.By);
  Result.Fitted.Corrects = Whole.Corrects;
  Result.Free = Table.free(Whole.Prices);
  FitQuality &Quality = Result.Fitted.Fit.emplace();
  if (const FitErrors Left = errorsOf(Result.ByWorkload.Full, Table.Workload); Left.Count > 1) {
    Quality.EnergyError = {Left.Rms, ""};
    Quality.EnergyChoiceError = {Left.ChoiceRms, ""};
  }
  if (Prices.size() > 1)
    Quality.Together = Table.covariance(relativeErrors(Prices), Result.Fitted);
  return Result;
}

} // namespace ergon
