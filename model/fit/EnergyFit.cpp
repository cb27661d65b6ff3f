//===- EnergyFit.cpp - energy costs from measured runs --------------------===//

#include "model/fit/EnergyFit.h"
#include "model/fit/EnergyFitFolds.h"
#include "model/fit/EnergyFitTable.h"
#include "model/fit/FitErrors.h"
#include "model/fit/Jackknife.h"
#include "model/fit/PriceFit.h"
#include "model/fit/Statistics.h"

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
using Rows = FitRows;

//===----------------------------------------------------------------------===//
// The voltage law
//===----------------------------------------------------------------------===//

/// The root mean square of \p Residuals after subtracting each workload's mean: the disagreement
/// between settings of one workload.
static double withinWorkloads(const FitTable &Table, const Rows &R, const VectorXd &Residuals) {
  std::vector<std::pair<double, int>> Sums(std::ranges::max(Table.Workload) + 1);
  for (std::size_t K = 0; K != R.size(); ++K) {
    auto &[Sum, Count] = Sums[Table.Workload[R[K]]];
    Sum += Residuals[K];
    ++Count;
  }
  double Squares = 0;
  for (std::size_t K = 0; K != R.size(); ++K) {
    const auto &[Sum, Count] = Sums[Table.Workload[R[K]]];
    Squares += std::pow(Residuals[K] - Sum / Count, 2);
  }
  return std::sqrt(Squares / R.size());
}

/// A law must reduce the disagreement between settings by this factor to be adopted.
static constexpr double Gain = 0.98;

/// The tolerated loss of agreement without constant power that nothing else requires.
static constexpr double ClocksAloneLoss = 0.8;

namespace {
/// The shape with the best agreement between settings of each workload, among those tried.
struct ShapeSearch {
  const ShapeSpread &Spread;
  FitShape Best{};
  double Least = Spread(Best);

  /// Whether it is better than all before.
  bool take(const FitShape &Shape) {
    const double Now = Spread(Shape);
    if (Now >= Least)
      return false;
    Least = Now;
    Best = Shape;
    return true;
  }
};
} // namespace

/// The exponent of measured voltages. An exponent and constant power are interchangeable where
/// voltages are few: only the clocks' power is used if it does nearly as well.
static FitShape fitExponent(const ShapeSpread &Spread) {
  ShapeSearch WithConstants{Spread}, ClocksAlone{Spread};
  ClocksAlone.Least = std::numeric_limits<double>::infinity();
  for (double Exponent = 1.5; Exponent < 2.51; Exponent += 0.05) {
    WithConstants.take({.VoltsExponent = Exponent});
    ClocksAlone.take({.VoltsExponent = Exponent, .ClocksAlone = true});
  }
  return ClocksAloneLoss * ClocksAlone.Least < WithConstants.Least ? ClocksAlone.Best
                                                                   : WithConstants.Best;
}

/// V(f) by its transition, as a share of the clock range, and the rise at the highest clock: a
/// coarse grid, then successive refinement around the best.
static FitShape fitLaw(const ShapeSpread &Spread, double Low, double High) {
  if (High == Low)
    return {};
  ShapeSearch Search{Spread};
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

FitShape fitVoltage(const FitTable &Table, std::pair<double, double> ClockRange,
                    const ShapeSpread &Spread) {
  return Table.HasVolts ? fitExponent(Spread) : fitLaw(Spread, ClockRange.first, ClockRange.second);
}

static FitShape fitVoltage(const FitTable &Table, const Rows &R) {
  return fitVoltage(Table, Table.clockRange(R), [&](const FitShape &Shape) {
    return withinWorkloads(Table, R, logResiduals(Table, R, Shape, fitPrices(Table, R, Shape)));
  });
}

//===----------------------------------------------------------------------===//
// The correction
//===----------------------------------------------------------------------===//

/// Length and noise of the correction, in the coordinates of Correction.
static constexpr double CorrectionLength = 0.2, CorrectionNoise = 3;
static constexpr int CorrectionPoints = 96;

/// The kernel of a point and \p Places.
static VectorXd kernelOf(const MatrixXd &Places, const Eigen::RowVectorXd &Point) {
  // Coordinate by coordinate, as these are the columns.
  Eigen::ArrayXd Squares = Eigen::ArrayXd::Zero(Places.rows());
  for (Eigen::Index Axis = 0; Axis != Places.cols(); ++Axis)
    Squares += (Places.col(Axis).array() - Point[Axis]).square();
  return (Squares * (-0.5 / (CorrectionLength * CorrectionLength))).exp();
}

Rows correctionPoints(const MatrixXd &Places) {
  const Eigen::Index Count = Places.rows();
  VectorXd Left = VectorXd::Ones(Count);
  MatrixXd Factor(Count, CorrectionPoints);
  Rows Result;
  for (int K = 0; K != std::min<Eigen::Index>(CorrectionPoints, Count); ++K) {
    Eigen::Index Next;
    if (Left.maxCoeff(&Next) < 1e-4)
      break;
    Result.push_back(Next);
    VectorXd Column = kernelOf(Places, Places.row(Next));
    Column -= Factor.leftCols(K) * Factor.row(Next).head(K).transpose();
    Factor.col(K) = Column / std::sqrt(Left[Next]);
    Left = (Left - Factor.col(K).cwiseAbs2()).cwiseMax(0);
  }
  return Result;
}

MatrixXd correctionKernel(const MatrixXd &Left, const MatrixXd &Right) {
  static constexpr Eigen::Index MostRows = 512; // in a processor's cache
  MatrixXd Result(Left.rows(), Right.rows());
  for (Eigen::Index First = 0; First < Left.rows(); First += MostRows) {
    const Eigen::Index Count = std::min(MostRows, Left.rows() - First);
    const MatrixXd Part = Left.middleRows(First, Count);
    for (Eigen::Index K = 0; K != Right.rows(); ++K)
      Result.col(K).segment(First, Count) = kernelOf(Part, Right.row(K));
  }
  return Result;
}

VectorXd correctionWeights(MatrixXd Normal, const MatrixXd &AmongPoints, const VectorXd &Rhs) {
  Normal += CorrectionNoise * AmongPoints;
  Normal.diagonal().array() += 1e-8;
  return Normal.ldlt().solve(Rhs);
}

Correction fitCorrection(const FitTable &Table, const Rows &R, const VectorXd &Residuals) {
  const MatrixXd Places = Table.Places(R, Eigen::all);
  const Rows Chosen = correctionPoints(Places);
  const MatrixXd Points = Places(Chosen, Eigen::all);
  const MatrixXd Across = correctionKernel(Places, Points);
  const VectorXd Weights =
      correctionWeights(Across.transpose() * Across, correctionKernel(Points, Points),
                        Across.transpose() * Residuals);
  Correction Result = Table.Axes;
  Result.Length = CorrectionLength;
  Result.Points.assign(Points.data(), Points.data() + Points.size()); // column by column
  Result.Weights.assign(Weights.begin(), Weights.end());
  return Result;
}

//===----------------------------------------------------------------------===//
// The whole, and how well it predicts
//===----------------------------------------------------------------------===//

/// Rows of \p All by the fold that leaves them out: single groups, or the requested number of
/// folds.
static std::vector<Rows> folds(const Rows &All, const std::vector<std::size_t> &Group,
                               std::size_t Count) {
  std::set<std::size_t> Groups;
  for (Eigen::Index Row : All)
    Groups.insert(Group[Row]);
  if (Count == 0 || Count > Groups.size())
    Count = Groups.size();
  std::map<std::size_t, std::size_t> FoldOf;
  for (std::size_t I : Groups)
    FoldOf.emplace(I, FoldOf.size() % Count);
  std::vector<Rows> Result(Count);
  for (Eigen::Index Row : All)
    Result[FoldOf.at(Group[Row])].push_back(Row);
  return Result;
}

/// Limits on the rows of a fold and on folds times rows: larger tables use other methods. Some
/// seconds.
static constexpr std::size_t MaxFoldRows = 200'000, MaxChoiceRows = 20'000, MinThinnedRows = 2'000;
/// For too many rows, the number of folds that are fitted to a part of the rows.
static constexpr std::size_t MaxThinnedFolds = 64;
/// Up to this number of folds, each chooses its own exponent of saturation.
static constexpr std::size_t MaxChosenFolds = 64;

static Rows thinned(const Rows &All, std::size_t Most) {
  Rows Result;
  for (std::size_t K : spreadPositions(All.size(), Most))
    Result.push_back(All[K]);
  return Result;
}

/// Saturation makes costs harder to interpret: it must improve the prediction by this factor; among
/// exponents within the tie factor of the best, the one nearest 1 is used.
static constexpr double SaturationGain = 0.95, SaturationTie = 1.02;

/// The exponent of saturation that predicts held-out families best at the voltage law \p Shape.
static double chooseSaturation(const FitTable &Table, const Rows &Fitted, const FitShape &Shape) {
  const Rows All = thinned(Fitted, MaxChoiceRows);
  // Costs that are off by a thousandth are enough to tell exponents apart.
  constexpr int StepsOfChoice = 6;
  constexpr double Exponents[] = {1, 0.8, 0.7, 0.6, 0.5, 0.4};
  const std::vector<Rows> Folds = folds(All, Table.Family, 10);
  if (Folds.size() < 3)
    return 1;
  std::vector<std::vector<FitPart>> Parts(Folds.size());
  for (std::size_t Fold = 0; Fold != Folds.size(); ++Fold)
    inParts(Folds[Fold],
            [&](Eigen::Index, const Rows &Part) { Parts[Fold].emplace_back(Table, Part, Shape); });
  std::vector<double> Errors(std::size(Exponents));
  for (const std::vector<FitPart> &Fold : Parts) {
    auto Rest = [&](const std::function<void(const FitPart &)> &Do) {
      for (const std::vector<FitPart> &Other : Parts)
        if (&Other != &Fold)
          std::ranges::for_each(Other, Do);
    };
    for (std::size_t K = 0; K != Errors.size(); ++K) {
      const VectorXd Prices = fitPrices(Table, Rest, Exponents[K], StepsOfChoice);
      for (const FitPart &Part : Fold)
        Errors[K] +=
            logResiduals(Table, Part, Exponents[K], Prices).cwiseAbs().dot(Part.Roots.cwiseAbs2());
    }
  }
  const double Least = std::ranges::min(Errors);
  if (Least > SaturationGain * Errors.front())
    return 1;
  auto Plainest =
      std::ranges::find_if(Errors, [&](double Value) { return Value <= SaturationTie * Least; });
  return Exponents[Plainest - Errors.begin()];
}

/// Chooses the exponent of saturation by the rows themselves where \p Saturation is not given.
static RowFit fitRows(const FitTable &Table, const Rows &R, std::optional<double> Saturation) {
  RowFit Result;
  Result.Shape = fitVoltage(Table, R);
  Result.Shape.Saturation = Saturation ? *Saturation : chooseSaturation(Table, R, Result.Shape);
  Result.Prices = fitPrices(Table, R, Result.Shape);
  if (!Table.PricesAlone)
    Result.FittedCorrection =
        fitCorrection(Table, R, logResiduals(Table, R, Result.Shape, Result.Prices));
  return Result;
}

/// Writes predicted/measured - 1 of \p R to their positions.
static void predict(const FitTable &Table, const RowFit &Fit, const Rows &R, RowErrors &Result) {
  const VectorXd Residuals = logResiduals(Table, R, Fit.Shape, Fit.Prices);
  for (std::size_t K = 0; K != R.size(); ++K) {
    const Eigen::Index Row = R[K];
    const VectorXd Place = Table.Places.row(Row);
    const double Factor =
        Fit.FittedCorrection
            ? Fit.FittedCorrection->logFactor({Place.data(), std::size_t(Place.size())})
            : 0;
    auto Error = [&](double LogFactor) {
      const double Watts = Table.Watts[Row] * std::exp(LogFactor - Residuals[K]);
      return std::min(Watts, Table.CapW) / Table.Watts[Row] - 1;
    };
    Result.Formula[Row] = Error(0);
    Result.Full[Row] = Error(Factor);
  }
}

static Rows without(const Rows &All, const Rows &Left) {
  Rows Result;
  std::ranges::set_difference(All, Left, std::back_inserter(Result));
  return Result;
}

/// The jackknife's covariances of relative errors, from fits that each omit a fold.
static MatrixXd relativeErrors(const std::vector<VectorXd> &Prices) {
  MatrixXd Values(Prices.size(), Prices.front().size());
  for (std::size_t Fit = 0; Fit != Prices.size(); ++Fit)
    Values.row(Fit) = Prices[Fit];
  const Eigen::ArrayXd Mean = Values.colwise().mean();
  Values.array().rowwise() /= (Mean > 0).select(Mean, 1).transpose();
  return jackknife(Values);
}

namespace {
/// Cross-validation: each fold predicted by a fit to the other rows.
struct Validation {
  const FitTable &Table;
  const Rows &All;
  const RowFit &Whole;
  const EnergyFitOptions &Options;

  /// Writes errors into \p Result; \p Prices gets the costs of the other rows at the shape of the
  /// whole: what they are off by beside a shape that all agree on.
  void leaveOut(const std::vector<std::size_t> &Group, const char *Name, RowErrors &Result,
                std::vector<VectorXd> *Prices = nullptr) const {
    const std::vector<Rows> Folds = folds(All, Group, Options.Folds);
    if (Folds.size() < 2)
      return;
    const bool FitAll = Folds.size() * All.size() <= MaxFoldRows;
    const std::size_t MaxRows =
        FitAll ? All.size() : std::max(MaxFoldRows / Folds.size(), MinThinnedRows);
    // With many folds the exponent of saturation is that of the whole.
    std::optional<double> Saturation;
    if (Table.PricesAlone || Folds.size() > MaxChosenFolds)
      Saturation = Whole.Shape.Saturation;
    std::size_t Done = 0;
    auto Add = [&](const Rows &Fold, const RowFit &Fit) {
      if (Options.Progress)
        Options.Progress(Done++, Folds.size(), Name);
      predict(Table, Fit, Fold, Result);
    };
    if (!FitAll && Folds.size() > MaxThinnedFolds) {
      fitWithoutEach(Table, All, Whole, Folds, &Group != &Table.Setting, Add);
      if (Prices)
        *Prices = pricesWithoutEach(Table, All, Whole, Folds);
      return;
    }
    for (const Rows &Fold : Folds) {
      const Rows Rest = thinned(without(All, Fold), MaxRows);
      if (Rest.size() >= Table.Names.size()) {
        Add(Fold, fitRows(Table, Rest, Saturation));
        if (Prices)
          Prices->push_back(fitPrices(Table, Rest, Whole.Shape));
      }
    }
  }
};
} // namespace

std::expected<EnergyFit, Error> fitEnergy(const Samples &S, const EnergyFitOptions &Options) {
  const FitTable Table(S, Options);
  Rows All;
  for (Eigen::Index Row = 0; Row != Table.Watts.size(); ++Row)
    if (Table.IsFitted[Row])
      All.push_back(Row);
  const std::size_t Unknowns = Table.Names.size();
  if (All.size() < Unknowns)
    return std::unexpected(Error{std::to_string(All.size()) + " rows cannot tell " +
                                     std::to_string(Unknowns) + " coefficients apart",
                                 "", "measure more workloads or settings, or fewer classes"});
  EnergyFit Result;
  Result.IsFitted = Table.IsFitted;
  if (Options.Progress)
    Options.Progress(0, 1, "all rows");
  const RowFit Whole = fitRows(Table, All, Options.PricesAlone ? std::optional(1.0) : std::nullopt);
  for (RowErrors *Errors :
       {&Result.InSample, &Result.BySetting, &Result.ByWorkload, &Result.ByFamily}) {
    Errors->Full.assign(S.Rows.size(), std::nan(""));
    Errors->Formula = Errors->Full;
  }
  Rows Every(S.Rows.size());
  std::iota(Every.begin(), Every.end(), 0);
  predict(Table, Whole, Every, Result.InSample);
  Result.Fitted = Table.machine(Whole.Prices, Whole.Shape);
  Result.Fitted.Fit.Corrects = Whole.FittedCorrection;
  Result.Free = Table.free(Whole.Prices);
  FitQuality &Quality = Result.Fitted.Fit.Quality.emplace();
  if (!Options.Validates)
    return Result;
  Validation Validate{Table, All, Whole, Options};
  Validate.leaveOut(Table.Setting, "settings", Result.BySetting);
  std::vector<VectorXd> Prices;
  Validate.leaveOut(Table.Family, "families", Result.ByFamily, &Prices);
  if (Table.Family == Table.Workload)
    Result.ByWorkload = Result.ByFamily;
  else
    Validate.leaveOut(Table.Workload, "workloads", Result.ByWorkload);
  if (const auto Left = logDeviations(Result.ByFamily.Full, Table.Workload, Table.Family)) {
    Quality.EnergyError = {Left->Whole, ""};
    Quality.EnergyChoiceError = {Left->OfRatio, ""};
  }
  if (Prices.size() > 1)
    Quality.JointCovariance = Table.covariance(relativeErrors(Prices), Result.Fitted);
  return Result;
}

} // namespace ergon
