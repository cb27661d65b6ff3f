//===- TimeFit.cpp - throughputs and overlap from measured times ----------===//

#include "model/fit/TimeFit.h"
#include "model/fit/Jackknife.h"
#include "model/fit/NonNegativeLeastSquares.h"
#include "model/fit/Statistics.h"
#include "model/machine/CostClass.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace ergon {

namespace {
/// From no overlap to nearly a roofline; neighbours predict nearly the same.
constexpr double Exponents[] = {1, 1.25, 1.5, 2, 3, 4, 6, 8, 16, 32};
/// The share by which another clock must reduce the error.
constexpr double ClearlyBetter = 0.05;

using Clocks = std::vector<std::optional<Domain>>;

/// Rows that are left out together.
struct Groups {
  std::vector<std::size_t> Indexes; ///< the group of each row
  std::size_t Number = 0;
};

/// The linear part of the fit: each column is a class's n/f over T, relative to its maximum. With
/// p, (n/f)^p/T^p times the unknown (f·τ)^p should add up to 1 in each row.
struct Columns {
  Eigen::MatrixXd Parts;
  Eigen::VectorXd Highest;
  /// Square roots of the rows' weights: all families weigh the same.
  Eigen::VectorXd Roots;
};

/// The result for one exponent: times of one unit, in terms of Columns.
using Times = Eigen::VectorXd;

/// What is chosen by the error on held-out families.
struct Choice {
  Clocks Rates;
  double Exponent = 1;
};

class Fitter {
public:
  explicit Fitter(const Samples &Fitted);

  TimeFit fit(bool Validates);

private:
  const Samples &S;
  Groups Workloads, Families, Settings;
  Eigen::VectorXd Roots;
  bool HasMemClock;
  double CoreMhz = 0, MemMhz = 0; ///< the highest

  std::optional<Domain> usualClock(const std::string &Class) const;
  Columns columns(const Clocks &Rates) const;
  double error(const Columns &C, double P) const;
  std::pair<double, double> bestExponent(const Columns &C) const;
  Clocks bestClocks() const;
  Choice choose() const;
  std::vector<double> chosenWithout(const Groups &Leave) const;
  FittedThroughput throughput(std::size_t Class, const Clocks &C, double TimePerUnit) const;
};
} // namespace

static Groups groups(std::vector<std::size_t> Indexes) {
  const std::size_t Number = Indexes.empty() ? 0 : std::ranges::max(Indexes) + 1;
  return {std::move(Indexes), Number};
}

Fitter::Fitter(const Samples &Fitted)
    : S(Fitted), Workloads(groups(workloadsOf(Fitted))), Families(groups(familiesOf(Fitted))),
      Settings(groups(settingsOf(Fitted))),
      HasMemClock(std::ranges::all_of(
          Fitted.Rows, [](const Sample &Row) { return Row.Clocks.MemMhz.has_value(); })) {
  for (const Sample &Row : S.Rows) {
    CoreMhz = std::max(CoreMhz, *Row.Clocks.mhz(Domain::Core));
    MemMhz = std::max(MemMhz, Row.Clocks.MemMhz.value_or(0));
  }
  std::vector<double> RowsOf(Families.Number);
  for (std::size_t Family : Families.Indexes)
    ++RowsOf[Family];
  Roots.resize(Eigen::Index(S.Rows.size()));
  for (std::size_t R = 0; R != S.Rows.size(); ++R)
    Roots[R] = 1 / std::sqrt(RowsOf[Families.Indexes[R]]);
}

std::optional<Domain> Fitter::usualClock(const std::string &Class) const {
  if (Class != DramBytes)
    return Domain::Core;
  return HasMemClock ? std::optional(Domain::Mem) : std::nullopt;
}

Columns Fitter::columns(const Clocks &Rates) const {
  Columns Result;
  Result.Parts.resize(Eigen::Index(S.Rows.size()), Eigen::Index(S.Classes.size()));
  for (std::size_t R = 0; R != S.Rows.size(); ++R)
    for (std::size_t C = 0; C != S.Classes.size(); ++C) {
      const Sample &Row = S.Rows[R];
      const double Mhz = Rates[C] ? *Row.Clocks.mhz(*Rates[C]) : 1;
      Result.Parts(R, C) = *Row.Counts[C] / (Mhz * Row.TimeS);
    }
  Result.Roots = Roots;
  Result.Highest = Result.Parts.colwise().maxCoeff();
  Result.Parts.array().rowwise() /=
      (Result.Highest.array() > 0).select(Result.Highest, 1).transpose().array();
  return Result;
}

namespace {
/// Normal equations of a fit with one exponent.
class Equations {
public:
  Equations(const Columns &C, double Exponent)
      : P(Exponent), Weighed(C.Parts.array().pow(P).colwise() * C.Roots.array()), Roots(C.Roots),
        Gram(Weighed.transpose() * Weighed), Rhs(Weighed.transpose() * Roots) {}

  Times solve() const { return times(Gram, Rhs); }
  /// A fit without the rows \p Out, whose errors go to their places in \p Errors.
  Times leaveOut(const std::vector<Eigen::Index> &Out, std::vector<double> &Errors) const {
    const Eigen::MatrixXd Part = Weighed(Out, Eigen::all);
    const Times T = times(Gram - Part.transpose() * Part, Rhs - Part.transpose() * Roots(Out));
    for (Eigen::Index R : Out)
      Errors[R] = std::pow(Weighed.row(R).dot(T.array().pow(P).matrix()) / Roots[R], 1 / P) - 1;
    return T;
  }

private:
  double P;
  Eigen::MatrixXd Weighed; ///< powers of the parts, times the roots of the weights
  Eigen::VectorXd Roots;
  Eigen::MatrixXd Gram;
  Eigen::VectorXd Rhs;

  Times times(const Eigen::MatrixXd &Left, const Eigen::VectorXd &Right) const {
    return nonNegativeLeastSquares(Left, Right).array().pow(1 / P);
  }
};
} // namespace

/// Predicted over measured time of each row, minus 1.
static std::vector<double> errors(const Columns &C, const Times &T, double P) {
  const Eigen::VectorXd All =
      (C.Parts * T.asDiagonal()).array().pow(P).rowwise().sum().pow(1 / P) - 1;
  return {All.begin(), All.end()};
}

static std::vector<std::vector<Eigen::Index>> rowsOf(const Groups &G) {
  std::vector<std::vector<Eigen::Index>> Result(G.Number);
  for (std::size_t R = 0; R != G.Indexes.size(); ++R)
    Result[G.Indexes[R]].push_back(Eigen::Index(R));
  return Result;
}

/// The same, with each row predicted by a fit without its group; \p Fits receives these fits.
static std::vector<double> leavingOut(const Columns &C, double P, const Groups &Leave,
                                      std::vector<Times> *Fits = nullptr) {
  if (Leave.Number < 2)
    return {};
  const Equations All(C, P);
  std::vector<double> Result(Leave.Indexes.size());
  for (const std::vector<Eigen::Index> &Out : rowsOf(Leave)) {
    const Times T = All.leaveOut(Out, Result);
    if (Fits)
      Fits->push_back(T);
  }
  return Result;
}

/// The mean relative error on held-out families, each with the same weight; on settings if there is
/// only one family, and of the fit itself if there is one row.
double Fitter::error(const Columns &C, double P) const {
  std::vector<double> Errors = leavingOut(C, P, Families.Number > 1 ? Families : Settings);
  if (Errors.empty())
    Errors = errors(C, Equations(C, P).solve(), P);
  double Sum = 0;
  for (std::size_t R = 0; R != Errors.size(); ++R)
    Sum += std::abs(Errors[R]) * C.Roots[R] * C.Roots[R];
  return Sum / C.Roots.squaredNorm();
}

/// The exponent and its error.
std::pair<double, double> Fitter::bestExponent(const Columns &C) const {
  std::pair Best{1.0, error(C, 1)};
  for (double P : std::span(Exponents).subspan(1))
    if (const double Error = error(C, P); Error < Best.second)
      Best = {P, Error};
  return Best;
}

/// The clocks that predict best, class by class, repeated until nothing changes, as the best clock
/// of one class depends on the others'.
Clocks Fitter::bestClocks() const {
  Clocks Best;
  for (const std::string &Class : S.Classes)
    Best.push_back(usualClock(Class));
  if (Settings.Number == 1)
    return Best;
  std::vector<std::optional<Domain>> Choices = {Domain::Core, std::nullopt};
  if (HasMemClock)
    Choices.emplace_back(Domain::Mem);
  constexpr int MostRounds = 4;
  bool Changed = true;
  for (int Round = 0; Changed && Round != MostRounds; ++Round) {
    Changed = false;
    auto [P, Least] = bestExponent(columns(Best));
    for (std::size_t C = 0; C != S.Classes.size(); ++C) {
      if (S.Classes[C] == DramBytes || isFlops(S.Classes[C]))
        continue;
      Clocks Tried = Best;
      for (const auto &Choice : Choices) {
        Tried[C] = Choice;
        if (const double Error = error(columns(Tried), P); Error < (1 - ClearlyBetter) * Least) {
          Best[C] = Choice;
          Least = Error;
          Changed = true;
        }
      }
    }
  }
  return Best;
}

/// The throughput of a class that takes \p TimePerUnit seconds per unit at 1 MHz, or at any clock
/// if it follows none.
FittedThroughput Fitter::throughput(std::size_t Class, const Clocks &C, double TimePerUnit) const {
  FittedThroughput Result{S.Classes[Class], 1 / TimePerUnit, C[Class], 0};
  if (Result.Clock) {
    Result.AtMhz = *Result.Clock == Domain::Core ? CoreMhz : MemMhz;
    Result.PerS *= Result.AtMhz;
  }
  return Result;
}

/// Jackknife over families. To first order the relative errors of a rate and of a unit's time are
/// equal.
static void addUncertainty(TimeFit &Result, const std::vector<std::size_t> &Timed, const Times &T,
                           const std::vector<Times> &Baseline) {
  if (Baseline.empty())
    return;
  const auto Size = Eigen::Index(Timed.size()), Number = Eigen::Index(Baseline.size());
  Eigen::MatrixXd Away(Number, Size);
  for (Eigen::Index W = 0; W != Number; ++W)
    for (Eigen::Index K = 0; K != Size; ++K)
      Away(W, K) = Baseline[W][Timed[K]] / T[Timed[K]];
  const Eigen::MatrixXd Covariance = jackknife(Away);
  for (Eigen::Index K = 0; K != Size; ++K) {
    Result.Throughputs[K].RelativeSd = std::sqrt(Covariance(K, K));
    Result.RelativeCovariance.emplace_back(Covariance.row(K).begin(), Covariance.row(K).end());
  }
}

/// Half of the rows differ by less than this share in units per cycle.
constexpr double HardlyDiffers = 0.1;

static bool countsTime(const Samples &S, std::size_t Class) {
  std::vector<double> PerCycle;
  for (const Sample &Row : S.Rows)
    PerCycle.push_back(*Row.Counts[Class] / (Row.TimeS * *Row.Clocks.mhz(Domain::Core)));
  return middleHalf(PerCycle) < HardlyDiffers * median(PerCycle);
}

/// Clocks and exponent are chosen by fits to at most this many rows.
constexpr std::size_t MaxChosenRows = 20'000;

/// With more families than this, those that choose clocks and exponent are also those that rate
/// them.
constexpr std::size_t MaxChosenFolds = 64;

Choice Fitter::choose() const {
  Choice Result{bestClocks(), 1};
  Result.Exponent = bestExponent(columns(Result.Rates)).first;
  return Result;
}

/// As leavingOut(), with clocks and exponent chosen by the other rows alone.
std::vector<double> Fitter::chosenWithout(const Groups &Leave) const {
  std::vector<double> Result(S.Rows.size());
  const auto Parts = rowsOf(Leave);
  for (std::size_t Out = 0; Out != Leave.Number; ++Out) {
    std::vector<std::size_t> Others;
    for (std::size_t R = 0; R != S.Rows.size(); ++R)
      if (Leave.Indexes[R] != Out)
        Others.push_back(R);
    const Samples Rest = selected(S, Others);
    const auto [Rates, P] = Fitter(Rest).choose();
    Equations(columns(Rates), P).leaveOut(Parts[Out], Result);
  }
  return Result;
}

TimeFit Fitter::fit(bool Validates) {
  Samples Some;
  if (S.Rows.size() > MaxChosenRows)
    Some = selected(S, spreadPositions(S.Rows.size(), MaxChosenRows));
  const auto [Rates, P] = Fitter(Some.Rows.empty() ? S : Some).choose();
  const Columns Subject = columns(Rates);
  TimeFit Result;
  Result.OverlapExponent = P;
  const Times T = Equations(Subject, P).solve();
  std::vector<std::size_t> Timed;
  for (std::size_t C = 0; C != S.Classes.size(); ++C) {
    if (T[C] > 0) {
      Timed.push_back(C);
      Result.Throughputs.push_back(throughput(C, Rates, T[C] / Subject.Highest[C]));
    } else if (Subject.Highest[C] > 0) {
      Result.Free.push_back(throughput(C, Rates, 1 / Subject.Highest[C]));
    }
  }
  for (std::size_t C = 0; C != S.Classes.size(); ++C)
    if (countsTime(S, C))
      Result.CountTime.push_back(S.Classes[C]);
  std::vector<Times> Baseline;
  Result.Fitted = errors(Subject, T, P);
  Result.InSample = errorsOf(Result.Fitted, Workloads.Indexes);
  if (!Validates)
    return Result;
  Result.WithoutFamily = leavingOut(Subject, P, Families, &Baseline);
  Result.WithoutWorkload = leavingOut(Subject, P, Workloads);
  Result.WithoutSetting = leavingOut(Subject, P, Settings);
  // What the choices were made by does not rate them.
  if (S.Rows.size() <= MaxChosenRows && Families.Number > 2 && Families.Number <= MaxChosenFolds) {
    Result.WithoutFamily = chosenWithout(Families);
    if (Workloads.Indexes == Families.Indexes)
      Result.WithoutWorkload = Result.WithoutFamily;
  }
  addUncertainty(Result, Timed, T, Baseline);
  if (!Result.WithoutFamily.empty()) {
    Result.ByFamily = errorsOf(Result.WithoutFamily, Workloads.Indexes);
    Result.Deviations = logDeviations(Result.WithoutFamily, Workloads.Indexes, Families.Indexes);
  }
  if (!Result.WithoutWorkload.empty())
    Result.Workloads = errorsOf(Result.WithoutWorkload, Workloads.Indexes);
  if (!Result.WithoutSetting.empty())
    Result.Settings = errorsOf(Result.WithoutSetting, Workloads.Indexes);
  return Result;
}

TimeFit fitTime(const Samples &S, bool Validates) { return Fitter(S).fit(Validates); }

void TimeFit::fillMachine(Machine &M, const std::string &Source) const {
  M.Timing.OverlapExponent = Quantity{OverlapExponent, Source};
  for (const FittedThroughput &Throughput : Throughputs)
    M.Timing.Throughputs[Throughput.Class] = {
        {Throughput.PerS, Source}, Throughput.Clock, Throughput.AtMhz};
}

} // namespace ergon
