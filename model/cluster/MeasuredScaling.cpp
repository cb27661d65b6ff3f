//===- MeasuredScaling.cpp - scaling learned from measured runs -----------===//

#include "model/cluster/MeasuredScaling.h"
#include "model/energy/PreparedMachine.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <utility>

namespace ergon {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

double UncertainAmount::low() const { return Value / factor95(Error); }
double UncertainAmount::high() const { return Value * factor95(Error); }

//===----------------------------------------------------------------------===//
// Gaussian processes
//===----------------------------------------------------------------------===//

namespace {
/// Regression by a Gaussian process (Rasmussen & Williams, "Gaussian Processes for Machine
/// Learning", 2006, algorithm 2.1).
class GaussianProcess {
public:
  /// \p Prior is the covariance of the values before they are seen, \p Residuals are these less
  /// their prior means. Their noise is the multiple of \p Noise in \p Factors that makes them most
  /// likely.
  GaussianProcess(const Matrix &Prior, const Vector &Residuals, const Vector &Noise,
                  std::span<const double> Factors);

  /// Mean at places whose prior covariances with the values are the rows of \p Cross.
  Vector mean(const Matrix &Cross) const { return Cross * Weights; }
  /// Covariance there, where it was \p Prior.
  Matrix covariance(const Matrix &Prior, const Matrix &Cross) const {
    return Prior - Cross * Solver.solve(Cross.transpose());
  }
  double noiseFactor() const { return Factor; }

private:
  double Factor = 1;
  Eigen::LLT<Matrix> Solver;
  Vector Weights;
};
} // namespace

GaussianProcess::GaussianProcess(const Matrix &Prior, const Vector &Residuals, const Vector &Noise,
                                 std::span<const double> Factors) {
  std::optional<double> Best;
  for (const double Candidate : Factors) {
    Matrix Covariance = Prior;
    Covariance.diagonal() += (Candidate * Noise).cwiseAbs2();
    // So that rounding leaves it positive definite, however far apart places are.
    Covariance.diagonal().array() += 1e-10 * Prior.diagonal().maxCoeff();
    const Eigen::LLT<Matrix> Now(Covariance);
    const Vector Solved = Now.solve(Residuals);
    const double LogLikelihood =
        -0.5 * Residuals.dot(Solved) - Matrix(Now.matrixL()).diagonal().array().log().sum();
    if (!Best || LogLikelihood > *Best) {
      Best = LogLikelihood;
      Factor = Candidate;
      Solver = Now;
      Weights = Solved;
    }
  }
}

//===----------------------------------------------------------------------===//
// What is known beforehand
//===----------------------------------------------------------------------===//

// On logarithms of the processors of a node, and of nodes: the slope of ln p·T and how it grows.
// Chosen on seven published tables (docs/decisions/0046).
static constexpr double MeanSlope = 0.1, MeanBend = 0.1;

namespace {
/// Variances of what programs have in common, of a program, and of one of its sizes.
struct Shares {
  double Machine, Workload, Series;

  double of(bool IsSameWorkload, bool IsSameSeries) const {
    return Machine + (IsSameWorkload ? Workload : 0) + (IsSameSeries ? Series : 0);
  }
};
constexpr Shares squares(double Machine, double Own) {
  return {Machine * Machine, Own * Own / 2, Own * Own / 2};
}

/// Processors that a series is on.
struct Place {
  std::size_t Series, Workload;
  Processors On;

  double inNode() const { return std::log(On.P / On.Nodes); }
  double acrossNodes() const { return std::log(On.Nodes); }
};
} // namespace

// Of the slope, and of its change: a Wiener process, so that a curve may bend where a memory is
// saturated or threads share a core.
static constexpr Shares SlopeVariance = squares(0.1, 0.25), BendVariance = squares(0.22, 0.22);
static constexpr double LevelVariance = 100, TimeNoise = 0.01;

/// Covariance of a Wiener process that is integrated once.
static double integratedWiener(double A, double B) {
  const double Less = std::min(A, B);
  return Less * Less * (Less / 3 + std::abs(A - B) / 2);
}

static double timeCovariance(const Place &A, const Place &B) {
  const bool SameWorkload = A.Workload == B.Workload, SameSeries = A.Series == B.Series;
  const double Slope = SlopeVariance.of(SameWorkload, SameSeries),
               Bend = BendVariance.of(SameWorkload, SameSeries);
  auto Along = [&](double X, double Y) { return Slope * X * Y + Bend * integratedWiener(X, Y); };
  return Along(A.inNode(), B.inNode()) + Along(A.acrossNodes(), B.acrossNodes()) +
         (SameSeries ? LevelVariance : 0);
}

/// Without a law of the program.
static double usualTime(const Place &Here) {
  auto Along = [](double X) { return X * (MeanSlope + MeanBend * X / 2); };
  return Along(Here.inNode()) + Along(Here.acrossNodes());
}

// Power over that of a node with its first processors. What a program's processors add, working or
// waiting, is some multiple of what a working processor adds on this machine.
enum PowerPart { OfNodes, OfWorking, OfProgram, OfWaiting };
static constexpr std::array<double, 4> MeanPower = {0.8, 0.2, 0, 0.5};
static constexpr std::array<Shares, 4> PowerVariance = {squares(0.3, 0.03), squares(0.2, 0),
                                                        squares(0, 0.4), squares(0.3, 0.25)};
static constexpr double PowerNoise = 0.015;

namespace {
struct PowerPlace {
  Place Where;
  std::array<double, 4> Amounts; ///< of each part, times its coefficient: power

  /// \p Working is what a working processor adds.
  PowerPlace(const Place &Where, double Speedup, double Working)
      : Where(Where),
        Amounts{Where.On.Nodes, Speedup, Working * Speedup, Working * (Where.On.P - Speedup)} {}
};
} // namespace

static double powerCovariance(const PowerPlace &A, const PowerPlace &B) {
  double Result = 0;
  for (std::size_t I = 0; I != PowerVariance.size(); ++I)
    Result +=
        A.Amounts[I] * B.Amounts[I] *
        PowerVariance[I].of(A.Where.Workload == B.Where.Workload, A.Where.Series == B.Where.Series);
  return Result;
}

template <typename P>
static Matrix covariances(std::span<const P> Rows, std::span<const P> Columns,
                          double (*Covariance)(const P &, const P &)) {
  Matrix Result(Rows.size(), Columns.size());
  for (std::size_t I = 0; I != Rows.size(); ++I)
    for (std::size_t J = 0; J != Columns.size(); ++J)
      Result(I, J) = Covariance(Rows[I], Columns[J]);
  return Result;
}

//===----------------------------------------------------------------------===//
// A table of runs
//===----------------------------------------------------------------------===//

static constexpr std::array<double, 5> NoiseFactors = {0.5, 1, 2, 4, 8};

struct MeasuredScaling::Impl {
  ScalingRuns Runs;
  double PerNode;
  TimeLaw Law;
  std::vector<ScalingSeries> All;
  std::vector<std::string> Workloads;
  std::vector<double> Levels; ///< of each series: ln p·T of a run, less its prior mean
  std::vector<Place> Places;
  std::optional<GaussianProcess> Time, Power;
  std::vector<PowerPlace> Metered;
  double PowerUnit = 1, Working = MeanPower[OfWorking];

  Impl(ScalingRuns Measured, double PerNode, TimeLaw Law, std::optional<Noise> Known);
  void fitTime(std::span<const double> Factors);
  void fitPower(std::span<const double> Factors);

  Place place(std::size_t Series, const Processors &On) const;
  double priorTime(const Place &Where) const;
  static double priorPower(const PowerPlace &Where);
  /// ln p·T at places, and watts, with their covariances.
  std::pair<Vector, Matrix> times(std::span<const Place> Where) const;
  std::pair<Vector, Matrix> powers(std::span<const PowerPlace> Where) const;
};

/// The index of \p Value, which is put behind the others where it is new.
template <typename T> static std::size_t indexIn(std::vector<T> &All, const T &Value) {
  const auto Found = std::ranges::find(All, Value);
  const std::size_t Result = Found - All.begin();
  if (Found == All.end())
    All.push_back(Value);
  return Result;
}

MeasuredScaling::Impl::Impl(ScalingRuns Measured, double PerNode, TimeLaw Law,
                            std::optional<Noise> Known)
    : Runs(std::move(Measured)), PerNode(PerNode), Law(std::move(Law)) {
  for (const ScalingRun &Run : Runs) {
    indexIn(Workloads, Run.Workload);
    const std::size_t Series = indexIn(All, ScalingSeries{Run.Workload, Run.N});
    const Place &Here = Places.emplace_back(place(Series, processorsOf(Run, PerNode)));
    if (Series == Levels.size())
      Levels.push_back(std::log(Run.P * Run.TimeS) - priorTime(Here));
  }
  auto Factors = [&](double Noise::*Member) {
    return Known ? std::span<const double>(&((*Known).*Member), 1)
                 : std::span<const double>(NoiseFactors);
  };
  fitTime(Factors(&Noise::Time));
  fitPower(Factors(&Noise::Power));
}

void MeasuredScaling::Impl::fitTime(std::span<const double> Factors) {
  Vector Residuals(Runs.size());
  for (std::size_t I = 0; I != Runs.size(); ++I)
    Residuals[I] =
        std::log(Runs[I].P * Runs[I].TimeS) - priorTime(Places[I]) - Levels[Places[I].Series];
  Time.emplace(covariances<Place>(Places, Places, timeCovariance), Residuals,
               Vector::Constant(Runs.size(), TimeNoise), Factors);
}

Place MeasuredScaling::Impl::place(std::size_t Series, const Processors &On) const {
  const std::size_t Workload =
      std::ranges::find(Workloads, All[Series].Workload) - Workloads.begin();
  return {Series, Workload, On};
}

double MeasuredScaling::Impl::priorTime(const Place &Where) const {
  const auto Known = Law ? Law(All[Where.Series], Where.On.P) : std::nullopt;
  return Known.value_or(usualTime(Where));
}

std::pair<Vector, Matrix> MeasuredScaling::Impl::times(std::span<const Place> Where) const {
  const Matrix Cross = covariances<Place>(Where, Places, timeCovariance);
  Vector Mean = Time->mean(Cross);
  for (std::size_t I = 0; I != Where.size(); ++I)
    Mean[I] += priorTime(Where[I]) + Levels[Where[I].Series];
  return {std::move(Mean),
          Time->covariance(covariances<Place>(Where, Where, timeCovariance), Cross)};
}

double MeasuredScaling::Impl::priorPower(const PowerPlace &Where) {
  return std::inner_product(MeanPower.begin(), MeanPower.end(), Where.Amounts.begin(), 0.0);
}

void MeasuredScaling::Impl::fitPower(std::span<const double> Factors) {
  std::vector<Place> First;
  for (std::size_t Series = 0; Series != All.size(); ++Series)
    First.push_back(place(Series, {}));
  const Vector Sequential = times(First).first;
  std::vector<double> Powers;
  std::vector<std::size_t> WithEnergy;
  double Fewest = std::numeric_limits<double>::infinity();
  for (std::size_t I = 0; I != Runs.size(); ++I) {
    if (!Runs[I].EnergyJ)
      continue;
    WithEnergy.push_back(I);
    Powers.push_back(*Runs[I].EnergyJ / Runs[I].TimeS);
    if (Runs[I].P < Fewest) {
      Fewest = Runs[I].P;
      PowerUnit = Powers.back() / Places[I].On.Nodes;
    }
  }
  if (Powers.empty())
    return;
  // What a working processor adds is first found, then the measure of what others may.
  for (const bool IsFound : {false, true}) {
    if (IsFound) {
      Matrix Cross(1, Metered.size());
      for (std::size_t I = 0; I != Metered.size(); ++I)
        Cross(0, I) = Metered[I].Amounts[OfWorking] * PowerVariance[OfWorking].Machine;
      Working = std::max(1e-3, MeanPower[OfWorking] + Power->mean(Cross)[0]);
    }
    Metered.clear();
    for (const std::size_t I : WithEnergy)
      Metered.emplace_back(Places[I], std::exp(Sequential[Places[I].Series]) / Runs[I].TimeS,
                           Working);
    Vector Residuals(Metered.size()), Noise(Metered.size());
    for (std::size_t I = 0; I != Metered.size(); ++I) {
      Residuals[I] = Powers[I] / PowerUnit - priorPower(Metered[I]);
      Noise[I] = PowerNoise * Powers[I] / PowerUnit;
    }
    Power.emplace(covariances<PowerPlace>(Metered, Metered, powerCovariance), Residuals, Noise,
                  Factors);
  }
}

/// In watts.
std::pair<Vector, Matrix> MeasuredScaling::Impl::powers(std::span<const PowerPlace> Where) const {
  const Matrix Cross = covariances<PowerPlace>(Where, Metered, powerCovariance);
  Vector Mean = Power->mean(Cross);
  for (std::size_t I = 0; I != Where.size(); ++I)
    Mean[I] += priorPower(Where[I]);
  return {PowerUnit * Mean,
          PowerUnit * PowerUnit *
              Power->covariance(covariances<PowerPlace>(Where, Where, powerCovariance), Cross)};
}

MeasuredScaling::MeasuredScaling(ScalingRuns Runs, double PerNode, TimeLaw Law,
                                 std::optional<Noise> Known)
    : State(std::make_unique<Impl>(std::move(Runs), PerNode, std::move(Law), Known)) {}
MeasuredScaling::~MeasuredScaling() = default;
MeasuredScaling::MeasuredScaling(MeasuredScaling &&) noexcept = default;

MeasuredScaling::Noise MeasuredScaling::noise() const {
  return {State->Time->noiseFactor(), State->Power ? State->Power->noiseFactor() : 1};
}

/// The standard deviation of a difference of two values.
static double errorOfDifference(const Matrix &Covariance) {
  return std::sqrt(std::max(0.0, Covariance(0, 0) + Covariance(1, 1) - 2 * Covariance(0, 1)));
}

std::expected<ScaledRun, NoEfficiency> MeasuredScaling::at(const ScalingSeries &Series,
                                                           const Processors &On) const {
  const auto Found = std::ranges::find(State->All, Series);
  if (Found == State->All.end())
    return std::unexpected(NoEfficiency{"no run of it was measured"});
  const std::size_t Index = Found - State->All.begin();
  const std::array<Place, 2> Where = {State->place(Index, {}), State->place(Index, On)};
  const auto &[Times, TimeCovariance] = State->times(Where);
  // What a further run would show has that run's noise.
  const bool IsFirst = On == Processors{};
  const double RunError = IsFirst ? 0 : TimeNoise * State->Time->noiseFactor();
  const double Speedup = std::exp(Times[0] - Times[1]) * On.P;
  ScaledRun Result{
      .TimeS = {std::exp(Times[1]) / On.P, std::hypot(std::sqrt(TimeCovariance(1, 1)), RunError)},
      .TimeEfficiency = {Speedup / On.P, std::hypot(errorOfDifference(TimeCovariance), RunError)},
      .EnergyJ = {},
      .Efficiency = {}};
  if (!State->Power)
    return Result;
  const std::array<PowerPlace, 2> Metered = {PowerPlace(Where[0], 1, State->Working),
                                             PowerPlace(Where[1], Speedup, State->Working)};
  const auto &[Powers, PowerCovariance] = State->powers(Metered);
  if (!(Powers[0] > 0 && Powers[1] > 0))
    return std::unexpected(NoEfficiency{"its runs are too few to tell the power there"});
  const Matrix Relative = PowerCovariance.array() / (Powers * Powers.transpose()).array();
  const double PowerRunError = IsFirst ? 0 : PowerNoise * State->Power->noiseFactor();
  Result.EnergyJ = {Powers[1] * Result.TimeS.Value,
                    std::hypot(Result.TimeS.Error, std::sqrt(Relative(1, 1)), PowerRunError)};
  Result.Efficiency = {
      Speedup * Powers[0] / Powers[1],
      std::hypot(Result.TimeEfficiency.Error, errorOfDifference(Relative), PowerRunError)};
  return Result;
}

//===----------------------------------------------------------------------===//
// Leaving out
//===----------------------------------------------------------------------===//

std::optional<MeanRun> meanRun(const ScalingRuns &Runs, const ScalingSeries &Series,
                               const Processors &On, double PerNode) {
  MeanRun Result;
  double EnergyJ = 0;
  std::size_t Energies = 0;
  for (const ScalingRun &Run : Runs)
    if (Series.has(Run) && processorsOf(Run, PerNode) == On) {
      ++Result.Runs;
      Result.TimeS += Run.TimeS;
      EnergyJ += Run.EnergyJ.value_or(0);
      Energies += Run.EnergyJ.has_value();
    }
  if (Result.Runs == 0)
    return std::nullopt;
  Result.TimeS /= double(Result.Runs);
  if (Energies)
    Result.EnergyJ = EnergyJ / double(Energies);
  return Result;
}

ScalingRuns runsFor(const std::string &Workload, const ScalingRuns &Runs) {
  static constexpr std::size_t MostOthers = 100;
  auto IsOwn = [&](const ScalingRun &Run) { return Run.Workload == Workload; };
  const std::size_t Others = Runs.size() - std::ranges::count_if(Runs, IsOwn);
  ScalingRuns Result;
  std::size_t Seen = 0;
  for (const ScalingRun &Run : Runs)
    if (IsOwn(Run)) {
      Result.push_back(Run);
    } else {
      const std::size_t Chosen = std::min(Others, MostOthers);
      if (Seen * Chosen / Others != (Seen + 1) * Chosen / Others)
        Result.push_back(Run);
      ++Seen;
    }
  return Result;
}

/// The cases of a program: every so many, where all would take long.
static std::vector<LeftOutRun> casesOf(const std::string &Workload, const ScalingRuns &Runs,
                                       double PerNode, std::size_t Fitted) {
  const bool IsEnergy =
      std::ranges::any_of(Runs, [](const ScalingRun &Run) { return Run.EnergyJ.has_value(); });
  std::vector<ScalingSeries> Series;
  for (const ScalingRun &Run : Runs)
    if (Run.Workload == Workload)
      indexIn(Series, ScalingSeries{Workload, Run.N});
  std::vector<LeftOutRun> All;
  for (const ScalingSeries &Own : Series) {
    std::set<Processors> Measured;
    for (const ScalingRun &Run : Runs)
      if (Own.has(Run))
        Measured.insert(processorsOf(Run, PerNode));
    LeftOutRun Case{.Series = Own, .First = *Measured.begin(), .IsEnergy = IsEnergy};
    const auto CostOn = [&](const Processors &On) {
      return meanRun(Runs, Own, On, PerNode)->cost(On, IsEnergy);
    };
    const auto First = CostOn(Case.First);
    for (const Processors &On : Measured) {
      const auto Here = CostOn(On);
      if (On == Case.First || !First || !Here)
        continue;
      Case.On = On;
      Case.FirstCost = *First;
      Case.Measured = *First / *Here;
      All.push_back(Case);
    }
  }
  const double MostOperations = 1e10;
  const auto Step =
      std::size_t(std::ceil(double(All.size()) * std::pow(double(Fitted), 3) / MostOperations));
  std::vector<LeftOutRun> Result;
  for (std::size_t I = 0; I < All.size(); I += std::max<std::size_t>(1, Step))
    Result.push_back(std::move(All[I]));
  return Result;
}

std::vector<LeftOutRun> leaveOutProcessors(const ScalingRuns &Runs, double PerNode,
                                           const MeasuredScaling::TimeLaw &Law) {
  std::vector<std::string> Workloads;
  for (const ScalingRun &Run : Runs)
    indexIn(Workloads, Run.Workload);
  std::vector<LeftOutRun> Result;
  for (const std::string &Workload : Workloads) {
    const ScalingRuns Fitted = runsFor(Workload, Runs);
    const auto Noise = MeasuredScaling(Fitted, PerNode, Law).noise();
    for (LeftOutRun &Case : casesOf(Workload, Runs, PerNode, Fitted.size())) {
      ScalingRuns Others;
      std::ranges::copy_if(Fitted, std::back_inserter(Others), [&](const ScalingRun &Run) {
        return !Case.Series.has(Run) || processorsOf(Run, PerNode) != Case.On;
      });
      const auto Found =
          MeasuredScaling(std::move(Others), PerNode, Law, Noise).at(Case.Series, Case.On);
      if (!Found || (Case.IsEnergy && !Found->EnergyJ))
        continue;
      const UncertainAmount Amount =
          Case.IsEnergy ? *Found->EnergyJ
                        : UncertainAmount{Case.On.P * Found->TimeS.Value, Found->TimeS.Error};
      Case.Predicted = {Case.FirstCost / Amount.Value, Amount.Error};
      Result.push_back(std::move(Case));
    }
  }
  return Result;
}

} // namespace ergon
